from __future__ import annotations

from karat.language.roles.lexicon import FARTHEST, Lexicon, bucket, pack, spelling, unpack

UP, DOWN = 1, 0
LEXICON = Lexicon(
    words={"Paris": 3, "the": 1},
    tags={"NN": 1, "VB": 2},
    deps={"dobj": 1, "nsubj": 2},
    ents={"": 1},
    predicates={"visit": 1},
    steps={(0, 2 * 1 + DOWN): 1, (0, 2 * 1 + UP): 2, (2, 2 * 2 + DOWN): 3},
    labels=("", "ARG0"),
)


def test_packing_loses_nothing() -> None:
    assert unpack(pack(LEXICON)) == LEXICON


def test_a_word_is_found_as_written_or_in_small_letters() -> None:
    assert [LEXICON.word(word) for word in ("Paris", "paris", "The", "zebra")] == [3, 0, 1, 0]


def test_paths_go_up_to_the_common_head_and_down_again() -> None:
    # token 1 is the root, with subject 0 and object 2
    known = FARTHEST + 1
    assert LEXICON.path_ids(1, [1, 1, 1], [2, 9, 1], [1, 0, 2]) == [1, known, known + 1]
    assert LEXICON.path_ids(2, [1, 1, 1], [2, 9, 1], [1, 0, 2]) == [known + 3, known + 2, known]


def test_an_unknown_path_is_known_by_its_length_up_to_the_farthest() -> None:
    chain = list(range(-1, 19))
    chain[0] = 0
    paths = LEXICON.path_ids(0, chain, [7] * 20, list(range(20)))
    assert paths[1:] == [min(length, FARTHEST) for length in range(1, 20)]


def test_buckets_are_the_same_everywhere() -> None:
    assert bucket("visit", 8192) == 2361
    assert spelling("USA")[2] == 3
    assert spelling("x1")[2] == 4
