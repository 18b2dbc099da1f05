"""The nouns of nugget-based evaluation: frozen records and the algebra on them. No I/O."""

from karat.model.codec import decode_record, encode_record, record_from_dict, record_to_dict
from karat.model.collection import Collection, Key
from karat.model.errors import InputError, KaratError, MissingExtra, Problem, UsageError
from karat.model.identity import ContentIds, content_id
from karat.model.records import (
    RECORD_TYPE_BY_KIND,
    RECORD_TYPES,
    AnyRecord,
    Citation,
    CitationJudgement,
    Evidence,
    Judgement,
    Member,
    Nug,
    Nugget,
    Part,
    Query,
    Record,
    Relevance,
    Response,
    Run,
    Score,
    Snippet,
    Vote,
    kind_of,
)
from karat.model.signature import Difference, Signature
from karat.model.spans import SpanSet

__all__ = [
    "RECORD_TYPES",
    "RECORD_TYPE_BY_KIND",
    "AnyRecord",
    "Citation",
    "CitationJudgement",
    "Collection",
    "ContentIds",
    "Difference",
    "Evidence",
    "InputError",
    "Judgement",
    "KaratError",
    "Key",
    "Member",
    "MissingExtra",
    "Nug",
    "Nugget",
    "Part",
    "Problem",
    "Query",
    "Record",
    "Relevance",
    "Response",
    "Run",
    "Score",
    "Signature",
    "Snippet",
    "SpanSet",
    "UsageError",
    "Vote",
    "content_id",
    "decode_record",
    "encode_record",
    "kind_of",
    "record_from_dict",
    "record_to_dict",
]
