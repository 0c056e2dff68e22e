"""The funnel adds up, and is shown in the order of the checks without a screen of reasons."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample_folder import edit_manifest

from planimeter.export import texts
from planimeter.export.manifest import Check
from planimeter.export.pages.funnel_view import stages
from planimeter.export.texts import text_of
from planimeter.filters.distinct import Distinct
from planimeter.filters.funnel import Funnel
from planimeter.filters.verdict import Verdict
from planimeter.flows.display import artifacts
from planimeter.flows.store.place import Place
from planimeter.items.builtin_suites import SUITES
from planimeter.recipes.editions import CHECK

TEXT = text_of("marvl_qa")

#: What a check says that saw nothing.
EMPTY: dict[str, Any] = {"seen": 0, "kept": 0, "rejected": {}, "strata": {}}

VERDICTS = st.builds(
    lambda check, kept, reason: Verdict(check=check, kept=kept, measured=0.0, limit=0.0, reason="" if kept else reason),
    st.sampled_from(["curation", "certify"]),
    st.booleans(),
    st.sampled_from(["near the border", "reads another answer"]),
)


@given(st.lists(st.tuples(VERDICTS, st.sampled_from(["cone", "plane"])), max_size=30), st.integers(0, 30))
def test_merging_accounts_is_counting_all_at_once(judged: list[tuple[Verdict, str]], cut: int) -> None:
    whole, first, second = Funnel(), Funnel(), Funnel()
    for i, (verdict, family) in enumerate(judged):
        whole.add("counting", verdict, family)
        (first if i < cut else second).add("counting", verdict, family)
    assert Funnel.total([first.table(), second.table()]).table() == whole.table()
    for checks in whole.table().values():
        for entry in checks.values():
            assert entry["seen"] == entry["kept"] + sum(entry["rejected"].values())
            assert entry["seen"] == sum(stratum["seen"] for stratum in entry["strata"].values())


def test_the_first_of_equal_items_is_kept() -> None:
    distinct = Distinct()
    assert [signature for signature in "abacb" if distinct.judge(signature).kept] == ["a", "b", "c"]


def test_the_funnel_runs_in_the_order_of_the_checks_and_not_of_the_alphabet() -> None:
    entry = Check(seen=1, kept=1, rejected={}, strata={})
    found = stages(dict.fromkeys(("certify", "another", "distinct", "curation"), entry), TEXT.checks)
    assert [stage.check for stage in found] == ["curation", "certify", "distinct", "another"]


def test_thirty_reasons_do_not_fill_the_table_of_the_card() -> None:
    entry = Check(seen=210, kept=0, rejected={f"reason {k:02}": k for k in range(1, 21)}, strata={})
    (stage,) = stages({"ambiguity": entry}, TEXT.checks)
    assert [name for name, _ in stage.main_reasons] == [*(f"reason {k}" for k in range(20, 14, -1)), "14 other reasons"]
    assert sum(number for _, number in stage.main_reasons) == stage.rejected
    # One more than are named is named too.
    (short,) = stages({"c": Check(seen=7, kept=0, rejected=dict.fromkeys("abcdefg", 1), strata={})}, {})
    assert short.main_reasons == short.reasons


def test_the_card_says_what_the_check_against_test_items_asks() -> None:
    assert all(texts.text_of(suite).checks[CHECK] for suite in SUITES if SUITES[suite].editions)


def test_the_funnel_in_prefect_stands_in_the_order_of_the_checks(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    edit_manifest(folder, lambda said: said["funnel"].update(counting=dict.fromkeys(("certify", "curation"), EMPTY)))
    tables: list[list[dict[str, Any]]] = []
    monkeypatch.setattr(artifacts, "create_table_artifact", lambda *, table, **_: tables.append(table))
    monkeypatch.setattr(artifacts, "create_markdown_artifact", lambda **_: None)
    recipe = SimpleNamespace(dataset="d", version="1.0.0", title="D")
    artifacts.publish_funnel(cast("Place", SimpleNamespace(folder=folder, recipe=recipe, address=str(folder))))
    shown = [row["check"] for row in tables[0] if row["config"] == "counting"]
    assert shown == ["curation", "certify"]
