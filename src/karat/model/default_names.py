"""The names of runs and judges where a file gives none: the same name in every format, so that files fit together."""

from __future__ import annotations

POOL = "pool"
"""The run of snippets or documents that were pooled from several runs to be judged once."""
RETRIEVED = "retrieved"
"""The run of passages that were judged one by one, whichever system found them."""
REFERENCE = "reference"
"""The run of answers that people wrote to compare with."""
GIVEN = "given"
"""The judge (or assessor) of judgements whose file does not say who judged."""
PERSON = "person"
"""The judge of labels that people gave."""
ALL_QUERIES = "all"
"""The query of a score that is a mean over all queries."""
