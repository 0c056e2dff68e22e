"""Orchestrates and computes nothing: plan, generate, select, write, verify. The only package that imports Prefect.

This file imports nothing, so that worker processes, which need no Prefect, start without it.
"""
