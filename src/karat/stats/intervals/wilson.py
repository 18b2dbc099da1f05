"""The interval of a share by Wilson (1927)."""

from __future__ import annotations

from math import sqrt

from scipy.special import ndtri


def wilson_interval(count: int, n: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval of count / n: all shares p that a two-sided normal test does not reject.

        (count + z²/2 ± z sqrt(count (n - count) / n + z²/4)) / (n + z²)

    (Wilson 1927, "Probable inference, the law of succession, and statistical inference"). It takes the n cases for
    independent, and never leaves [0, 1].

    >>> low, high = wilson_interval(8, 10)
    >>> round(low, 3), round(high, 3)
    (0.49, 0.943)
    """
    z = float(ndtri((1 + confidence) / 2))
    middle, half = count + z * z / 2, z * sqrt(count * (n - count) / n + z * z / 4)
    return max(0.0, (middle - half) / (n + z * z)), min(1.0, (middle + half) / (n + z * z))
