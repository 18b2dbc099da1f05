from __future__ import annotations

import pytest

from karat.formats.inputs.query_matching import ids_that_do_not_meet, nearest


@pytest.mark.parametrize(
    ("keyed", "answered", "pair"),
    [
        ({"1", "2"}, {"q02", "q03"}, ("2", "q02")),
        ({"bridge-a"}, {"x", "Bridge_a"}, ("bridge-a", "Bridge_a")),
        ({"a"}, {"z"}, None),
        ({"1-2"}, {"2-1-7"}, None),
    ],
)
def test_the_nearest_pair_has_the_same_number_or_nearly_the_same_name(
    keyed: set[str], answered: set[str], pair: tuple[str, str] | None
) -> None:
    assert nearest(keyed, answered) == pair


def test_ids_that_do_not_meet_are_shown_side_by_side() -> None:
    assert ids_that_do_not_meet({str(n) for n in range(1, 26)}, {"q01", "q02"}) == (
        "the query ids of the key and of the runs do not meet: the key has '1', '2', '3' and 22 more, the runs have "
        "'q01', 'q02'. Perhaps 'q01' is '1'. Use the same ids in both; or give both files the questions (a field "
        "`query`, or query records), and Karat matches queries that ask the same"
    )
