"""The first tables of a campaign."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "account",
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("role", sa.String(length=20), nullable=False),
        sa.Column("languages", sa.Text(), nullable=False),
        sa.Column("password", sa.Text(), nullable=True),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.CheckConstraint("role IN ('organiser', 'assessor', 'adjudicator')", name=op.f("ck_account_role")),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_account")),
        sa.UniqueConstraint("name", name=op.f("uq_account_name")),
    )
    op.create_table(
        "document",
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False),
        sa.Column("doc_id", sa.Text(), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_document")),
        sa.UniqueConstraint("doc_id", name=op.f("uq_document_doc_id")),
    )
    op.create_table(
        "failed_login",
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("address", sa.String(length=64), nullable=False),
        sa.Column("time", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_failed_login")),
    )
    op.create_index(op.f("ix_failed_login_address"), "failed_login", ["address"], unique=False)
    op.create_index(op.f("ix_failed_login_name"), "failed_login", ["name"], unique=False)
    op.create_table(
        "query",
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False),
        sa.Column("query_id", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("language", sa.String(length=40), nullable=True),
        sa.Column("record", sa.Text(), nullable=False),
        sa.Column("adjudicated", sa.Float(), nullable=True),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_query")),
        sa.UniqueConstraint("query_id", name=op.f("uq_query_query_id")),
    )
    op.create_table(
        "run",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", name=op.f("pk_run")),
    )
    op.create_table(
        "setting",
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_setting")),
    )
    op.create_table(
        "template",
        sa.Column("template_id", sa.Text(), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("template_id", name=op.f("pk_template")),
    )
    op.create_table(
        "annotation",
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("query", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("owner", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("key", sa.String(length=120), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("record", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["query"], ["query.number"], name=op.f("fk_annotation_query")),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_annotation")),
        sa.UniqueConstraint("query", "owner", "kind", "key", name=op.f("uq_annotation_query_owner_kind_key")),
    )
    op.create_table(
        "assignment",
        sa.Column("query", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("account", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("assigned", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["account.number"], name=op.f("fk_assignment_account")),
        sa.ForeignKeyConstraint(["query"], ["query.number"], name=op.f("fk_assignment_query")),
        sa.PrimaryKeyConstraint("query", "account", name=op.f("pk_assignment")),
    )
    op.create_table(
        "batch",
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("time", sa.Float(), nullable=False),
        sa.Column("account", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("query", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("owner", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("request", sa.String(length=80), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("refused", sa.Boolean(), nullable=False),
        sa.Column("undoes", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.ForeignKeyConstraint(["account"], ["account.number"], name=op.f("fk_batch_account")),
        sa.ForeignKeyConstraint(["query"], ["query.number"], name=op.f("fk_batch_query")),
        sa.ForeignKeyConstraint(["undoes"], ["batch.number"], name=op.f("fk_batch_undoes")),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_batch")),
        sa.UniqueConstraint("account", "request", name=op.f("uq_batch_account_request")),
    )
    op.create_index("ix_batch_query_owner", "batch", ["query", "owner"], unique=False)
    op.create_table(
        "event",
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("time", sa.Float(), nullable=False),
        sa.Column("account", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("what", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["account.number"], name=op.f("fk_event_account")),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_event")),
    )
    op.create_table(
        "invitation",
        sa.Column("token_hash", sa.LargeBinary(), nullable=False),
        sa.Column("account", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("expires", sa.Float(), nullable=False),
        sa.Column("used", sa.Float(), nullable=True),
        sa.ForeignKeyConstraint(["account"], ["account.number"], name=op.f("fk_invitation_account")),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_invitation")),
    )
    op.create_index(op.f("ix_invitation_account"), "invitation", ["account"], unique=False)
    op.create_table(
        "key_nug",
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False),
        sa.Column("query", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("nug_id", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["query"], ["query.number"], name=op.f("fk_key_nug_query")),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_key_nug")),
        sa.UniqueConstraint("query", "nug_id", name=op.f("uq_key_nug_query_nug_id")),
    )
    op.create_table(
        "passage",
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False),
        sa.Column("query", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("text_hash", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["query"], ["query.number"], name=op.f("fk_passage_query")),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_passage")),
        sa.UniqueConstraint("query", "text_hash", name=op.f("uq_passage_query_text_hash")),
    )
    op.create_table(
        "response",
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False),
        sa.Column("query", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["query"], ["query.number"], name=op.f("fk_response_query")),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_response")),
        sa.UniqueConstraint("query", "run_id", name=op.f("uq_response_query_run_id")),
    )
    op.create_table(
        "session",
        sa.Column("token_hash", sa.LargeBinary(), nullable=False),
        sa.Column("account", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("expires", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["account.number"], name=op.f("fk_session_account")),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_session")),
    )
    op.create_index(op.f("ix_session_account"), "session", ["account"], unique=False)
    op.create_table(
        "step_state",
        sa.Column("query", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("owner", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False),
        sa.Column("step", sa.String(length=20), nullable=False),
        sa.Column("done", sa.Float(), nullable=True),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["query"], ["query.number"], name=op.f("fk_step_state_query")),
        sa.PrimaryKeyConstraint("query", "owner", "step", name=op.f("pk_step_state")),
    )
    op.create_table(
        "change",
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("batch", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("key", sa.String(length=120), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("before", sa.Text(), nullable=True),
        sa.Column("after", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["batch"], ["batch.number"], name=op.f("fk_change_batch")),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_change")),
    )
    op.create_index(op.f("ix_change_batch"), "change", ["batch"], unique=False)
    op.create_table(
        "citation",
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False),
        sa.Column("response", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("passage", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("doc_id", sa.Text(), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["passage"], ["passage.number"], name=op.f("fk_citation_passage")),
        sa.ForeignKeyConstraint(["response"], ["response.number"], name=op.f("fk_citation_response")),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_citation")),
    )
    op.create_index(op.f("ix_citation_passage"), "citation", ["passage"], unique=False)
    op.create_table(
        "occurrence",
        sa.Column("response", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("passage", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("snippet_id", sa.Text(), nullable=False),
        sa.Column("scope", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["passage"], ["passage.number"], name=op.f("fk_occurrence_passage")),
        sa.ForeignKeyConstraint(["response"], ["response.number"], name=op.f("fk_occurrence_response")),
        sa.PrimaryKeyConstraint("response", "position", name=op.f("pk_occurrence")),
    )
    op.create_index(op.f("ix_occurrence_passage"), "occurrence", ["passage"], unique=False)
    op.create_table(
        "suggestion",
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False),
        sa.Column("query", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("passage", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("response", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("record", sa.Text(), nullable=False),
        sa.Column("details", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["passage"], ["passage.number"], name=op.f("fk_suggestion_passage")),
        sa.ForeignKeyConstraint(["query"], ["query.number"], name=op.f("fk_suggestion_query")),
        sa.ForeignKeyConstraint(["response"], ["response.number"], name=op.f("fk_suggestion_response")),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_suggestion")),
    )
    op.create_index(op.f("ix_suggestion_passage"), "suggestion", ["passage"], unique=False)
    op.create_index(op.f("ix_suggestion_query"), "suggestion", ["query"], unique=False)
    op.create_index(op.f("ix_suggestion_response"), "suggestion", ["response"], unique=False)
