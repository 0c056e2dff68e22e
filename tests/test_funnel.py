from hypothesis import given
from hypothesis import strategies as st

from planimeter.filters.distinct import Distinct
from planimeter.filters.funnel import Funnel
from planimeter.filters.verdict import Verdict

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
    assert [distinct.judge(signature).kept for signature in ("a", "b", "a", "c", "b")] == [
        True,
        True,
        False,
        True,
        False,
    ]
