import pytest


@pytest.fixture
def undrawn(monkeypatch):
    """Leave the figures of `planimeter score` out, which take it a second."""
    monkeypatch.setattr("planimeter.evals.scores.tables.figures", lambda scored: [])
