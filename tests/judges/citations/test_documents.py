from __future__ import annotations

import math

from karat.judges.citations.documents import LONGEST, Source, Sources


def test_a_document_is_cut_into_sentences_with_their_places() -> None:
    source = Source("d", "Cracks were found. The bridge\nclosed on Monday.")
    assert source.sentences == ("Cracks were found.", "The bridge\nclosed on Monday.")
    assert [source.text[start:end] for start, end in source.spans] == list(source.sentences)
    assert source.places["crack"] == (0,)
    assert "the" not in source.places


def test_a_long_line_is_cut_into_pieces_that_lose_nothing() -> None:
    text = " ".join(f"word{at}" for at in range(2 * LONGEST + 5))
    source = Source("d", text)
    assert [len(piece.split()) for piece in source.sentences] == [LONGEST, LONGEST, 5]
    assert " ".join(source.sentences) == text


def test_small_numbers_are_there_as_words_and_as_digits() -> None:
    source = Source("d", "Five cables broke. The 3rd was new. 12 people saw it.")
    assert all(form in source.places for form in ("5", "five", "third", "3rd", "twelv", "12"))
    assert "6" not in source.places


def test_rare_words_weigh_more() -> None:
    sources = Sources([Source("a", "Red fox. Red barn. Red dog."), Source("b", "A zebra.")])
    assert sources.sentences == 4
    assert sources.idf("zebra") == math.log(5 / 1.5)
    assert sources.idf("zebra") > sources.idf("red")
    assert Sources([Source("a", "Red.")]).idf("red") >= 0.1


def test_the_nearest_documents_have_most_of_the_words() -> None:
    sources = Sources([Source("a", "Red fox."), Source("b", "Red fox and zebra."), Source("c", "Nothing here.")])
    among = ["c", "a", "b"]
    assert sources.nearest(["zebra", "fox"], among, most=2, least=0.1) == ["b", "a"]
    assert sources.nearest(["zebra", "fox"], among, most=2, least=0.9) == ["b"]
    assert sources.nearest(["zebra", "fox"], ["c", "a"], most=2, least=0.1) == ["a"]
    # Equal shares: the order of `among`.
    assert sources.nearest(["fox"], ["b", "a"], most=1, least=0.5) == ["b"]


def test_a_word_divided_at_the_end_of_a_line_is_whole_and_places_are_those_of_the_text() -> None:
    text = "The well-known com-\r\n  pany re\u00adpaired a well-\nknown bridge in Aix-\nEn. It is fire-\n\nproof."
    source = Source("d", text)
    assert "".join(source.sentences[0].split()) == "Thewell-knowncompanyrepairedawell-knownbridgeinAix-En."
    assert {"compani", "repair"} <= set(source.places)
    # A paragraph ends no word, and spans are about the text as it is.
    assert not any("fireproof" in sentence for sentence in source.sentences)
    assert text[slice(*source.spans[0])].startswith("The well-known com-\r\n  pany re\u00adpaired")
