"""How far a calibration that was learned from few labelled queries may be off.

A calibration that is off gives z + x . delta for the normal quantile z of P(full), with x = (1, z, vital). The labels
say delta = 0, with an error: labels of one nug, query, response or run are not independent, so that three queries with
a thousand labels say little more than three numbers. The covariance of delta is that of an estimating equation (Liang
and Zeger 1986), sum of w x (contained - P) = 0, whose "meat" is not the products of residuals that three queries
have, but what the shares of errors say about them (`ErrorShares`):

    H^-1 M H^-1,   H = sum w phi x x',
    M = sum over shares s and their groups of s (sum w phi x)(sum w phi x)' + sum w^2 (P (1 - P) - phi^2 sum of s) x x'.

w gives every query the same weight, as the calibration does, and phi is the normal density at z.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from karat.judges.calibration.labelled import Floats
from karat.judges.errors.correlations import ErrorShares, density, quantiles
from karat.judges.errors.draws import recalibration_features

Matrix = tuple[tuple[float, ...], ...]
_TINY = 1e-9


def calibration_covariance(
    full: npt.ArrayLike,
    shares: ErrorShares,
    *,
    vital: npt.ArrayLike,
    question: npt.ArrayLike,
    nug: npt.ArrayLike,
    cell: npt.ArrayLike,
    run: npt.ArrayLike,
    slope_sd: float = math.inf,
) -> Matrix:
    """The covariance (3 x 3) of delta from the labelled pairs; rows of what does not vary are 0.

    slope_sd: what else is known about the slope, the coefficient of z. With C the covariance above and c its column of
    the slope, C - c c' / (C_zz + slope_sd^2) is that of both together.
    """
    chance = np.asarray(full, float)
    features = recalibration_features(chance, vital)
    varies = np.append(True, np.ptp(features[:, 1:], axis=0) > 1e-6)
    used = features[:, varies]
    _, code, counts = np.unique(np.asarray(question), return_inverse=True, return_counts=True)
    weight = 1.0 / counts[code.ravel()]
    phi = density(quantiles(chance))
    weighted = used * (weight * phi)[:, None]
    bread = weighted.T @ used
    # Nearly the same columns would make the inverse huge.
    bread += _TINY * np.diag(np.diag(bread))
    groups = ((question, shares.query), (nug, shares.nug), (cell, shares.response), (run, shares.run))
    meat = sum(share * _of_groups(weighted, codes) for codes, share in groups)
    own = np.maximum(chance * (1 - chance) - phi**2 * (1 - shares.own), 0.0)
    meat = meat + (used * (weight**2 * own)[:, None]).T @ used
    inverse = np.linalg.pinv(bread, hermitian=True)
    covariance = np.zeros((3, 3))
    covariance[np.ix_(varies, varies)] = inverse @ meat @ inverse
    if math.isfinite(slope_sd):
        of_slope = covariance[:, 1].copy()
        covariance -= np.outer(of_slope, of_slope) / (of_slope[1] + slope_sd**2)
    # A hair on the diagonal, so that it has a Cholesky root whatever was rounded.
    covariance = (covariance + covariance.T) / 2 + _TINY * np.eye(3)
    return tuple(tuple(map(float, row)) for row in covariance)


def _of_groups(rows: Floats, codes: npt.ArrayLike) -> Floats:
    """The sum over groups of the outer product of each group's sum of rows."""
    compact = np.unique(np.asarray(codes), return_inverse=True)[1].ravel()
    sums = np.stack([np.bincount(compact, weights=column) for column in rows.T], axis=1)
    return np.asarray(sums.T @ sums, dtype=np.float64)
