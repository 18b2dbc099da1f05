"""The report: one HTML file that shows everything Karat knows about some runs.

`contents/` gathers what is shown, `sections/` says it (one module per section of the page), `charts/` draws it, and
`page.py` puts the file together from `templates/` and `static/`.
"""
