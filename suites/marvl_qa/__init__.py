"""MaRVL-QA: extrema and transformations of function surfaces."""
