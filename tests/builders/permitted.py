"""Who may use which route of the workbench, written down by hand."""

from __future__ import annotations

ALL = {"organiser", "adjudicator", "assessor"}
OVERSEERS = {"organiser", "adjudicator"}
ANNOTATORS = {"adjudicator", "assessor"}
ORGANISERS = {"organiser"}
ANYONE = {"anyone"}

ALLOWED = {
    ("GET", "/login"): ANYONE,
    ("POST", "/login"): ANYONE,
    ("POST", "/logout"): ALL,
    ("GET", "/invitation/{token:str}"): ANYONE,
    ("POST", "/invitation/{token:str}"): ANYONE,
    ("GET", "/password"): ALL,
    ("POST", "/password"): ALL,
    ("GET", "/api/schema"): ALL,
    ("GET", "/api/schema/openapi.json"): ALL,
    ("GET", "/api/schema/{path:str}"): ALL,
    ("GET", "/static/{file_path:path}"): ANYONE,
    ("HEAD", "/static/{file_path:path}"): ANYONE,
    ("GET", "/"): ALL,
    ("GET", "/queries/{number:int}/{step:str}"): ALL,
    ("GET", "/queries/{number:int}/adjudication"): OVERSEERS,
    ("GET", "/queries/{number:int}/history"): ALL,
    ("POST", "/queries/{number:int}/reopen"): ORGANISERS,
    ("GET", "/api/queries"): ALL,
    ("GET", "/api/queries/{number:int}/work/{step:str}"): ALL,
    ("POST", "/api/queries/{number:int}/changes"): ANNOTATORS,
    ("POST", "/api/queries/{number:int}/undo"): ANNOTATORS,
    ("POST", "/api/queries/{number:int}/steps/{step:str}"): ALL,
    ("POST", "/api/queries/{number:int}/time"): ANNOTATORS,
    ("GET", "/api/queries/{number:int}/history"): ALL,
    ("GET", "/api/documents/{number:int}"): ALL,
    ("GET", "/api/queries/{number:int}/differences"): OVERSEERS,
    ("POST", "/api/queries/{number:int}/adjudication"): {"adjudicator"},
    ("GET", "/progress"): OVERSEERS,
    ("GET", "/agreement"): OVERSEERS,
    ("GET", "/sheets"): OVERSEERS,
    ("GET", "/sheets/csv"): OVERSEERS,
    ("GET", "/api/progress"): OVERSEERS,
    ("GET", "/api/agreement"): OVERSEERS,
    ("GET", "/people"): ORGANISERS,
    ("POST", "/people"): ORGANISERS,
    ("POST", "/people/{number:int}/invitation"): ORGANISERS,
    ("POST", "/people/{number:int}/active"): ORGANISERS,
    ("POST", "/people/{number:int}/languages"): ORGANISERS,
    ("GET", "/settings"): ORGANISERS,
    ("POST", "/settings"): ORGANISERS,
    ("POST", "/settings/templates"): ORGANISERS,
    ("GET", "/material"): ORGANISERS,
    ("POST", "/material"): ORGANISERS,
    ("POST", "/material/assign"): ORGANISERS,
    ("GET", "/export/{name:str}"): ORGANISERS,
}
"""Who may use which route. A new route must be added here by hand, with a thought."""
