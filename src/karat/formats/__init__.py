"""Files <-> nouns: one module per format, with the same verbs in each."""

from karat.formats.inputs.reading import Reading, load, open_inputs, open_reading, read
from karat.formats.io.sink import Losses
from karat.formats.io.source import Source
from karat.formats.outputs.writing import LossRefused, write, write_bytes
from karat.formats.registry import FORMAT_NAMES, Format, all_formats, get_format, sniff

__all__ = [
    "FORMAT_NAMES",
    "Format",
    "LossRefused",
    "Losses",
    "Reading",
    "Source",
    "all_formats",
    "get_format",
    "load",
    "open_inputs",
    "open_reading",
    "read",
    "sniff",
    "write",
    "write_bytes",
]
