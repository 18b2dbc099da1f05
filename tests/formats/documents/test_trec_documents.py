from __future__ import annotations

from helpers import collect, messages, sniffed
from karat.model import Document

DATA = """<DOC>
<DOCNO> APW1 </DOCNO>
<DATE> 1999-05-19 </DATE>
<HEADLINE> Bridge
 closed </HEADLINE>
<TEXT>
<P> Engineers found cracks &amp; rust. </P>
<P> It stays closed. </P>
</TEXT>
</DOC>
<DOC><DOCNO>B-2</DOCNO>Only a line with a < b.</DOC>
"""


def test_reads_text_title_and_time() -> None:
    assert sniffed(DATA) == "trec-documents"
    first, second = collect(DATA, "trec-documents").documents
    assert first.text is not None
    assert " ".join(first.text.split()) == "Engineers found cracks & rust. It stays closed."
    assert "\n\n" in first.text
    assert (first.doc_id, first.title, first.time) == ("APW1", "Bridge closed", "1999-05-19")
    assert second == Document(doc_id="B-2", text="Only a line with a < b.")


def test_what_is_wrong_is_said_with_its_line() -> None:
    data = "<DOC>\n<TEXT>x</TEXT>\n</DOC>\n" + DATA + "<DOC>\n<DOCNO>APW1</DOCNO>\n</DOC>\n<DOC>\n<DOCNO>z</DOCNO>\n"
    assert messages(data, "trec-documents") == [
        "1: DOCNO: the document has no id",
        "15: DOCNO: the document 'APW1' is already on line 4",
        "18: the document has no </DOC>",
    ]
