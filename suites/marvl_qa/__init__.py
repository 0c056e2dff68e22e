"""The suite of MaRVL-QA: count extrema of plotted functions, and recognise how one plot was moved into another."""
