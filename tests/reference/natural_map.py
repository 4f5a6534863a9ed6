"""The laws of a contact problem as one residual, from its matrix, in plain NumPy.

lam - P(lam - (v + s) / g), times g [m/s], is zero where and only where all laws of docs/contact.md hold: P projects on
the set that a law allows, g is the mean of a block's diagonal and compliance, s is mu |v_t| along the normal of a cone
(De Saxce and Feng 1998), v = G lam + v_free + compliance lam.
"""

import numpy as np


def nearest_in_cone(y, mu):
    """The point of the friction cone nearest to y, (3,) with the normal last: by its rays in the plane of y."""
    t, n = float(np.hypot(y[0], y[1])), float(y[2])
    if t <= mu * n:
        return np.array(y, float)
    ray = np.array([mu, 1.0]) / np.sqrt(1.0 + mu * mu)
    along = ray @ (t, n)
    if along <= 0.0:
        return np.zeros(3)
    size, push = along * ray
    return np.array([size * y[0] / t, size * y[1] / t, push])


def natural_map(problem, G=None, v_free=None):
    """Residual [m/s] of each row of a Problem at its impulses, and the velocities of the rows."""
    G = np.asarray(problem.delassus if G is None else G)
    lam = np.array(problem.impulse, float).ravel()
    v = G @ lam + np.ravel(problem.v_free if v_free is None else v_free)
    left = np.zeros_like(lam)
    for law, first, rows, partner, a, b, soft in zip(
        problem.law,
        problem.first_row,
        problem.rows,
        problem.partner,
        problem.a,
        problem.b,
        problem.compliance,
        strict=True,
    ):
        at = slice(first, first + rows)
        blocks = [at] if law in (0, 4) else [slice(r, r + 1) for r in range(first, first + rows)]
        for at in blocks:
            g = np.diag(G)[at].mean() + soft
            if not g > 0.0:
                continue
            x, w = lam[at], v[at] + soft * lam[at]
            if law == 0:
                w = w + [0.0, 0.0, a * np.hypot(w[0], w[1])]
                left[at] = x - nearest_in_cone(x - w / g, a)
            elif law == 1:
                left[at] = x - np.maximum(0.0, x - w / g)
            elif law == 2:
                left[at] = w / g
            elif law == 3:
                left[at] = x - np.clip(x - w / g, a, b)
            else:
                most, y = a * lam[problem.first_row[partner] + 2], x - w / g
                left[at] = x - y * min(1.0, most / max(np.linalg.norm(y), 1e-300))
            left[at] *= g
    return left, v
