from __future__ import annotations

from karat.judges.citations.claims import Claim, read_claim
from karat.judges.citations.documents import Source, Sources
from karat.judges.citations.passages import Passages, find_passages

TEXT = "Ann lives in Rome. Dogs bark. Cats sleep. Ann has two horses. Birds sing. It was built in 1968."


def passages(claim: str, text: str = TEXT, title: str = "") -> Passages:
    source = Source("d", text, title)
    read: Claim = read_claim(claim, Sources([source]))
    return find_passages(read, source)


def test_the_best_window_of_each_length() -> None:
    found = passages("Dogs bark and cats sleep")
    assert found.windows == ((1, 2), (1, 3), (0, 3))


def test_a_union_takes_sentences_from_different_places() -> None:
    assert passages("Ann, who lives in Rome, has two horses").union == (0, 3)


def test_a_sentence_that_adds_nothing_is_not_in_the_union() -> None:
    assert passages("Birds sing").union == (4,)


def test_the_title_counts_for_windows() -> None:
    plain, titled = passages("The bridge was built in 1968"), passages("The bridge was built in 1968", title="A bridge")
    assert titled.title.any()
    assert not plain.title.any()


def test_a_document_without_sentences_has_no_passages() -> None:
    assert passages("Birds sing", " ").is_empty
