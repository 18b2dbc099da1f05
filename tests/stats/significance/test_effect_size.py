from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from karat.model import UsageError
from karat.stats.significance.effect_size import paired_effect_size


def test_limits_put_t_at_the_tails_of_the_noncentral_t() -> None:
    d = np.random.default_rng(0).normal(0.1, 0.2, 12)
    found = paired_effect_size([*d, float("nan")], confidence=0.9)
    assert found is not None
    assert found.n == 12
    t = stats.ttest_1samp(d, 0).statistic
    assert found.d_z == pytest.approx(t / np.sqrt(12))
    for limit, above in ((found.low, 0.05), (found.high, 0.95)):
        assert stats.nct.sf(t, 11, limit * np.sqrt(12)) == pytest.approx(above, abs=1e-6)


def test_the_small_sample_correction() -> None:
    found = paired_effect_size([0.1, 0.2, 0.3, 0.0])
    assert found is not None
    # Hedges (1981), table 1: J(3) = 0.7236.
    assert found.value / found.d_z == pytest.approx(0.7236, abs=1e-4)


def test_the_corrected_value_is_unbiased() -> None:
    draw = np.random.default_rng(1)
    found = [paired_effect_size(draw.normal(0.5, 1, 6)) for _ in range(4000)]
    values = np.array([size.value for size in found if size is not None])
    assert abs(values.mean() - 0.5) < 3 * values.std() / 4000**0.5
    held = np.mean([size.low <= 0.5 <= size.high for size in found if size is not None])
    assert 0.94 < held < 0.96


def test_none_where_there_is_nothing_to_divide_by() -> None:
    assert paired_effect_size([0.1, 0.2]) is None
    assert paired_effect_size([0.1, 0.1, 0.1]) is None
    with pytest.raises(UsageError, match="vector"):
        paired_effect_size([[0.1, 0.2]])
    with pytest.raises(UsageError, match="confidence"):
        paired_effect_size([0.1, 0.2, 0.4], confidence=1)
