"""The sections of the page, from top to bottom; each is a function from the contents to a `Section`, or None."""
