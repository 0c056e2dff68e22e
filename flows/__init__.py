"""Runs the steps of a build (plan, generate, select, write, verify) and computes nothing itself.

This is the only package that imports Prefect.
This file imports nothing, so that worker processes, which need no Prefect, start without it.
"""
