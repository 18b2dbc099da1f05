from __future__ import annotations

from typing import Any

import pytest

from builders.records import nugget
from helpers import collect, collect_with_problems, messages
from karat.formats import open_reading
from karat.formats.annotation.webanno import sniff_webanno
from karat.formats.io.head import Head
from karat.formats.io.source import Source
from karat.model import Collection, Nugget, Response, Run, Snippet, SpanSet

ENTITY = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
POS = "de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS"
HEADER = f"""#FORMAT=WebAnno TSV 3.3
#T_SP={POS}|PosValue
#T_SP={ENTITY}|identifier|value
#T_SP=webanno.custom.Claim|


"""
# The 🐝 takes two units; a CRLF is between the sentences.
BODY = """#Text=A 🐝 dances.
1-1\t0-1\tA\tDET\t_\t_\t_\t
1-2\t2-4\t🐝\tN\tQ7[1]|*[2]\tBEE[1]|INSECT[2]\t*\t
1-3\t5-11\tdances\tV\tQ7[1]\tBEE[1]\t_\t
1-4\t11-12\t.\tP\t_\t_\t_\t

#Text=Re\u0301el hums.
2-1\t14-19\tRe\u0301el\tN\t_\tX\\_Y\t_\t
2-1.1\t14-17\tRe\u0301\t_\t_\tHALF\t_\t
2-2\t20-24\thums\tV\t_\t_\t_\t
2-3\t24-25\t.\tP\t_\t_\t_\t
"""
TEXT = "A 🐝 dances. \nRe\u0301el hums."


def marked(nugget_id: str, start: int, end: int, label: str, layer: str = ENTITY, **extra: str) -> Nugget:
    place = {"query_id": "bytes", "run_id": "webanno"}
    return nugget(nugget_id, (start, end), **place, type=label, category=layer, extra=extra)


EXPECTED = [
    marked("NamedEntity-1", 2, 10, "BEE", identifier="Q7", value="BEE"),
    marked("NamedEntity-2", 2, 3, "INSECT", value="INSECT"),
    marked("Claim-1-2", 2, 3, "Claim", "webanno.custom.Claim"),
    marked("NamedEntity-2-1", 13, 18, "X_Y", value="X_Y"),
    marked("NamedEntity-2-1.1", 13, 16, "HALF", value="HALF"),
]


def test_reads_the_text_and_joins_tokens() -> None:
    collection = collect(HEADER + BODY, "webanno")
    assert collection.runs == [Run(run_id="webanno")]
    assert collection.responses == [
        Response(query_id="bytes", run_id="webanno", snippets=(Snippet(snippet_id="1", text=TEXT),))
    ]
    assert collection.nuggets == EXPECTED
    assert collection.nuggets[0].spans.text(TEXT) == "🐝 dances"


def test_crlf_and_a_byte_order_mark() -> None:
    data = b"\xef\xbb\xbf" + (HEADER + BODY).replace("\n", "\r\n").encode()
    assert collect(data, "webanno").nuggets == EXPECTED


def test_signs_are_protected_and_a_sentence_may_have_lines() -> None:
    header = "#FORMAT=WebAnno TSV 3.2\n#T_SP=webanno.custom.Claim|kind\n"
    body = "#Text=  a\\\\b\n#Text=c\\td\n1-1\t2-5\ta\\\\b\ta\\|b\\[1\\][3]\n1-2\t6-9\tc\\td\ta\\|b\\[1\\][3]\n"
    collection = collect(header + body, "webanno")
    assert collection.responses[0].snippets[0].text == "  a\\b\nc\td"
    assert [(nugget.type, nugget.nugget_id, nugget.spans) for nugget in collection.nuggets] == [
        ("a|b[1]", "Claim-3", SpanSet([(2, 9)]))
    ]


def test_relations_and_chains_are_a_finding() -> None:
    header = "#FORMAT=WebAnno TSV 3.3\n#T_SP=webanno.custom.C|k\n#T_RL=webanno.custom.Then|BT_webanno.custom.C\n"
    reading = open_reading(
        (header + "\n#Text=a b\n1-1\t0-1\ta\tx\t_\n1-2\t2-3\tb\t_\t1-1\n").encode(), format="webanno"
    )
    assert [nugget.spans for nugget in Collection(reading).nuggets] == [SpanSet([(0, 1)])]
    assert [str(warning) for warning in reading.source.warnings] == [
        "<bytes>:3: webanno.custom.Then: relations and chains are not read"
    ]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("1-1\t0-1\ta", ["4: the row has 0 features for 1 columns"]),
        ("1-1\t0-1\ta\tx\ty", ["4: the row has 2 features for 1 columns"]),
        ("1-1 0-1 a x", ["4: must be a header line or `1-1<TAB>0-4<TAB>token<TAB>…`"]),
        ("1-1\t0-9\ta\tx", ["4: C-1-1: ends at 9, but the text has 3 UTF-16 units"]),
        (
            "1-1\t99999999999-99999999999\ta\t_",
            ["4: the sentence begins at 99999999999, too far after the one before"],
        ),
    ],
)
def test_what_is_wrong_is_reported_and_the_rest_kept(lines: str, expected: list[str]) -> None:
    data = f"#FORMAT=WebAnno TSV 3.3\n#T_SP=webanno.custom.C|k\n#Text=a b\n{lines}\n1-2\t2-3\tb\tx\n"
    assert messages(data, "webanno") == expected
    nuggets: list[Any] = collect_with_problems(data, "webanno")[0].nuggets
    assert [nugget.nugget_id for nugget in nuggets][-1:] == ["C-1-2"]


def test_is_recognised() -> None:
    assert sniff_webanno(Head(Source("<bytes>", (HEADER + BODY).encode())))
    for other in ("#FORMAT=WebAnno TSV 2", "1-1\t0-1\ta", ""):
        assert not sniff_webanno(Head(Source("<bytes>", other.encode())))
