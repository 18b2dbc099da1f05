"""The charts of the report, as altair specs; `drawing.py` alone knows how they become SVG, PNG or JSON."""
