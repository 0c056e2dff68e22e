import pytest

from planimeter.flows.imports import figures


@pytest.fixture(autouse=True)
def _no_asymptote(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a machine has installed decides no test: a figure that our reader cannot draw waits for a person."""
    monkeypatch.setattr(figures, "asymptote", lambda: ("", ""))
