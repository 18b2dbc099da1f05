"""A karat.toml to begin with."""

from __future__ import annotations

EXAMPLE = """\
# Defaults for the options of `karat`, in this folder and those below it (docs/config.md).
# The command line wins. `karat config` shows what is in force; `karat --no-config ...` leaves it out.
# Remove the `#` of a line to use it.

# For every command that has the option:
# on-error = "skip"
# missing = "zero"
# seed = 7
# jobs = 2

# For one command; names as on the command line:
# [score]
# judge = "lexical"
# measures = ["F3", "strict_vital"]
# average = "query"

# [compare]
# baseline = "main"
# measures = "strict_vital"

# [judge]
# judge = "lexical"
# known = ["judged.jsonl"]   # relative to this file, and in its folder or below

# [lint]
# fail-on = "warning"
# ignore = ["unknown-column"]

# [key.diff]
# by = "words"

# Not here, only on the command line: what writes files (-o), asks a language model (--llm-url, --yes, ...) or
# loads programs (--model). A karat.toml may come with a repository that somebody else wrote.
"""
