"""Addresses, one module per thing that people do."""

from karat.web.routes import (
    accounts,
    adjudication_api,
    downloads,
    material,
    organising,
    people,
    progress,
    queries,
    work_api,
)

HANDLERS = [
    *accounts.HANDLERS,
    *queries.HANDLERS,
    *work_api.HANDLERS,
    *adjudication_api.HANDLERS,
    *progress.HANDLERS,
    *people.HANDLERS,
    *organising.HANDLERS,
    *material.HANDLERS,
    *downloads.HANDLERS,
]

__all__ = ["HANDLERS"]
