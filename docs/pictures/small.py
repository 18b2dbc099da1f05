"""Make PNG pictures small: screens and charts have few colours, so a palette of them is enough."""

from __future__ import annotations

import io

from PIL import Image

MOST_BYTES = 60_000
"""The most bytes of a picture in the repository; tests/test_site.py checks it."""


def small_png(picture: bytes, *, colours: int = 64) -> bytes:
    """The picture with at most so many colours, or fewer if it would be too large."""
    while True:
        image = Image.open(io.BytesIO(picture)).convert("RGB").quantize(colours, dither=Image.Dither.NONE)
        small = io.BytesIO()
        image.save(small, "PNG", optimize=True)
        if len(small.getvalue()) <= MOST_BYTES:
            return small.getvalue()
        if colours <= 16:
            raise SystemExit(f"a picture of {len(small.getvalue())} bytes is too large: make it smaller")
        colours //= 2
