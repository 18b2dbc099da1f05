"""The tables of a campaign.

Three families: people (accounts, invitations, sessions), material (what is annotated; written by imports only), and
work (annotations with versions, and the append-only history of every change).

Numbers that assessors see (`query.number`, `passage.number`, ...) are drawn at random: counting numbers would say in
which order runs were imported, and so which answers come from the same run.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

Number = BigInteger().with_variant(Integer, "sqlite")
"""SQLite counts rows by itself only in a column of the type INTEGER."""

# People ---------------------------------------------------------------------------------------------------------------

account = Table(
    "account",
    metadata,
    Column("number", Number, primary_key=True),
    Column("name", String(80), nullable=False, unique=True),
    Column("role", String(20), nullable=False),
    Column("languages", Text, nullable=False, default=""),
    # Languages besides the campaign's own that the person reads, separated by blanks.
    Column("password", Text),
    # argon2; NULL: invited, but no password was chosen yet.
    Column("active", Boolean, nullable=False, default=True),
    Column("created", Float, nullable=False),
    CheckConstraint("role IN ('organiser', 'assessor', 'adjudicator')", name="role"),
)

invitation = Table(
    "invitation",
    metadata,
    Column("token_hash", LargeBinary, primary_key=True),
    Column("account", ForeignKey("account.number"), nullable=False, index=True),
    Column("expires", Float, nullable=False),
    Column("used", Float),
)

session = Table(
    "session",
    metadata,
    Column("token_hash", LargeBinary, primary_key=True),
    Column("account", ForeignKey("account.number"), nullable=False, index=True),
    Column("created", Float, nullable=False),
    Column("expires", Float, nullable=False),
)

failed_login = Table(
    "failed_login",
    metadata,
    Column("number", Number, primary_key=True),
    Column("name", String(80), nullable=False, index=True),
    Column("address", String(64), nullable=False, index=True),
    Column("time", Float, nullable=False),
)

# Material -------------------------------------------------------------------------------------------------------------

setting = Table(
    "setting",
    metadata,
    Column("name", String(80), primary_key=True),
    Column("value", Text, nullable=False),  # JSON
)

query = Table(
    "query",
    metadata,
    Column("number", Number, primary_key=True, autoincrement=False),
    Column("query_id", Text, nullable=False, unique=True),
    Column("position", Integer, nullable=False),
    Column("language", String(40)),
    Column("record", Text, nullable=False),  # a Query as JSON
    Column("adjudicated", Float),
    # When its adjudication was finished, whatever steps are added later; NULL: not yet, or it was opened again.
)

run = Table(
    "run",
    metadata,
    Column("run_id", Text, primary_key=True),
    Column("record", Text, nullable=False),  # a Run as JSON
)

response = Table(
    "response",
    metadata,
    Column("number", Number, primary_key=True, autoincrement=False),
    Column("query", ForeignKey("query.number"), nullable=False),
    Column("run_id", Text, nullable=False),
    Column("record", Text, nullable=False),  # a Response as JSON
    UniqueConstraint("query", "run_id"),
)

passage = Table(
    # A text that one or several responses to a query contain: identical snippets are judged once.
    "passage",
    metadata,
    Column("number", Number, primary_key=True, autoincrement=False),
    Column("query", ForeignKey("query.number"), nullable=False),
    Column("text", Text, nullable=False),
    Column("text_hash", LargeBinary, nullable=False),
    UniqueConstraint("query", "text_hash"),
)

occurrence = Table(
    # Where a passage stands: the snippet of a response.
    "occurrence",
    metadata,
    Column("response", ForeignKey("response.number"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("passage", ForeignKey("passage.number"), nullable=False, index=True),
    Column("snippet_id", Text, nullable=False),
    Column("scope", Integer, nullable=False),
    # How many characters of the text are among the first words of the response that count; 0: none.
)

citation = Table(
    "citation",
    metadata,
    Column("number", Number, primary_key=True, autoincrement=False),
    Column("response", ForeignKey("response.number"), nullable=False),
    Column("position", Integer, nullable=False),  # of the snippet in the response
    Column("passage", ForeignKey("passage.number"), nullable=False, index=True),
    Column("doc_id", Text, nullable=False),
    Column("record", Text, nullable=False),  # a Citation as JSON
)

document = Table(
    "document",
    metadata,
    Column("number", Number, primary_key=True, autoincrement=False),
    Column("doc_id", Text, nullable=False, unique=True),
    Column("record", Text, nullable=False),  # a Document as JSON
)

template = Table(
    "template",
    metadata,
    Column("template_id", Text, primary_key=True),
    Column("record", Text, nullable=False),  # a Template as JSON
)

key_nug = Table(
    # A nug of an imported key.
    "key_nug",
    metadata,
    Column("number", Number, primary_key=True, autoincrement=False),
    Column("query", ForeignKey("query.number"), nullable=False),
    Column("nug_id", Text, nullable=False),
    Column("position", Integer, nullable=False),
    Column("record", Text, nullable=False),  # a Nug as JSON
    UniqueConstraint("query", "nug_id"),
)

suggestion = Table(
    # What a program found: an automatic nugget of a passage, or a judgement of a response.
    "suggestion",
    metadata,
    Column("number", Number, primary_key=True, autoincrement=False),
    Column("query", ForeignKey("query.number"), nullable=False, index=True),
    Column("kind", String(20), nullable=False),  # nugget | judgement
    Column("passage", ForeignKey("passage.number"), index=True),
    Column("response", ForeignKey("response.number"), index=True),
    Column("record", Text, nullable=False),  # the same JSON as the annotation would have (work/payloads.py)
    Column("details", Text, nullable=False, default="{}"),
    # What else the program said, as JSON: nugget_id, rule; judge, probabilities, words.
)

# Work -----------------------------------------------------------------------------------------------------------------

assignment = Table(
    "assignment",
    metadata,
    Column("query", ForeignKey("query.number"), primary_key=True),
    Column("account", ForeignKey("account.number"), primary_key=True),
    Column("assigned", Float, nullable=False),
)

step_state = Table(
    # Which steps of a query somebody has finished. `owner` 0 is the adjudicated layer.
    "step_state",
    metadata,
    Column("query", ForeignKey("query.number"), primary_key=True),
    Column("owner", Number, primary_key=True, autoincrement=False),
    Column("step", String(20), primary_key=True),
    Column("done", Float),  # when; NULL: open (again)
    Column("seconds", Float, nullable=False, default=0.0),  # time spent, breaks left out
)

annotation = Table(
    # The newest version of everything that was annotated. `owner` 0 is the adjudicated layer.
    "annotation",
    metadata,
    Column("number", Number, primary_key=True),
    Column("query", ForeignKey("query.number"), nullable=False),
    Column("owner", Number, nullable=False),
    Column("kind", String(20), nullable=False),
    Column("key", String(120), nullable=False),
    Column("version", Integer, nullable=False),
    Column("record", Text),  # JSON of work/payloads.py; NULL: deleted
    UniqueConstraint("query", "owner", "kind", "key"),
)

change = Table(
    # The history: every change with who, when, before and after. Rows are added, never altered.
    "change",
    metadata,
    Column("number", Number, primary_key=True),
    Column("batch", Number, ForeignKey("batch.number"), nullable=False, index=True),
    Column("kind", String(20), nullable=False),
    Column("key", String(120), nullable=False),
    Column("version", Integer, nullable=False),  # after the change
    Column("before", Text),
    Column("after", Text),
)

batch = Table(
    # Changes that were saved together, or refused together because somebody else had changed the same.
    "batch",
    metadata,
    Column("number", Number, primary_key=True),
    Column("time", Float, nullable=False),
    Column("account", ForeignKey("account.number"), nullable=False),
    Column("query", ForeignKey("query.number"), nullable=False),
    Column("owner", Number, nullable=False),
    Column("request", String(80), nullable=False),
    # Made by the client: the same request that is sent twice is done once.
    Column("content", LargeBinary, nullable=False),
    # A hash of what was sent: another content under the same name is refused.
    Column("refused", Boolean, nullable=False, default=False),
    Column("undoes", Number, ForeignKey("batch.number")),
    UniqueConstraint("account", "request"),
    Index("ix_batch_query_owner", "query", "owner"),
)

event = Table(
    # What organisers and accounts did besides annotating: logins, imports, assignments, steps reopened.
    "event",
    metadata,
    Column("number", Number, primary_key=True),
    Column("time", Float, nullable=False),
    Column("account", ForeignKey("account.number")),
    Column("what", Text, nullable=False),
)
