"""Runs the steps that build a dataset (plan, generate, select, write, verify), and computes nothing itself.

This is the only package that imports Prefect.
This file imports nothing, so that worker processes can start without Prefect.
"""
