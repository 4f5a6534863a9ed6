"""One contact by enumeration: stick by solving, slide by all roots of a trigonometric polynomial fitted to samples.

Shares nothing with the solvers: no closed-form coefficients, no bracket, no secular equation.
"""

import numpy as np


def curve(G, c, mu, theta):
    """lam(theta) and D on {v_n = 0, |lam_t| = mu lam_n}."""
    e = np.array([np.cos(theta), np.sin(theta)])
    D = G[2, 2] + mu * G[2, :2] @ e
    return np.array([mu * e[0], mu * e[1], 1.0]) * (-c[2] / D), D


def coulomb_condition(G, c, mu, theta):
    """D v_t x e: degree 2 in (cos, sin)."""
    lam, D = curve(G, c, mu, theta)
    v = G @ lam + c
    return D * (v[0] * np.sin(theta) - v[1] * np.cos(theta))


def raisim_condition(G, c, mu, theta):
    """D^3 dE/dtheta, E = lam G lam / 2 + lam c: degree at most 3 in (cos, sin)."""
    lam, D = curve(G, c, mu, theta)
    e, e_perp = np.array([np.cos(theta), np.sin(theta)]), np.array([-np.sin(theta), np.cos(theta)])
    dD = mu * G[2, :2] @ e_perp
    d_lam = -c[2] * (np.append(mu * e_perp, 0.0) * D - np.append(mu * e, 1.0) * dD)
    return D * (G @ lam + c) @ d_lam


def trigonometric_roots(f, degree):
    """All real zeros of a trigonometric polynomial: sample, transform, companion matrix in z = exp(i theta), polish."""
    m = 2 * degree + 1
    theta = 2 * np.pi * np.arange(m) / m
    coefficient = np.fft.fft([f(t) for t in theta]) / m  # of z^k, k = 0..degree, -degree..-1
    polynomial = np.concatenate([coefficient[degree::-1], coefficient[:degree:-1]])
    scale = np.abs(polynomial).max()
    candidates = [np.angle(z) for z in np.roots(polynomial) if abs(abs(z) - 1.0) < 1e-4]
    roots = []
    for t in candidates:
        for _ in range(6):  # Newton with a central difference
            slope = (f(t + 1e-6) - f(t - 1e-6)) / 2e-6
            t -= f(t) / slope if slope else 0.0
        if abs(f(t)) < 1e-10 * scale:
            roots.append(t)
    return roots


def solutions(G, c, mu, law):
    """Every impulse that the law allows (for "raisim" the one of least energy)."""
    if c[2] >= 0:
        return "open", [np.zeros(3)]
    stick = -np.linalg.solve(G, c)
    if np.hypot(*stick[:2]) <= mu * stick[2]:
        return "stick", [stick]
    condition, degree = (coulomb_condition, 2) if law == "coulomb" else (raisim_condition, 3)
    points = [curve(G, c, mu, t) for t in trigonometric_roots(lambda t: condition(G, c, mu, t), degree)]
    points = [lam for lam, D in points if D > 0]
    if law == "coulomb":  # friction must oppose slip
        return "slide", [lam for lam in points if (G @ lam + c)[:2] @ lam[:2] <= 0]
    return "slide", [min(points, key=lambda lam: 0.5 * lam @ G @ lam + c @ lam)]


def random_block(rng, condition):
    """A symmetric positive definite 3x3 matrix."""
    Q = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return Q @ np.diag(np.geomspace(1.0, condition, 3) * 10 ** rng.uniform(-2, 2)) @ Q.T
