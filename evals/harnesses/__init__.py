"""Adapters for evaluation harnesses and trainers."""
