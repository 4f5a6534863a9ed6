"""Random scenes, and oracles that share nothing with the kernels: support functions and brute force."""

import itertools

import numpy as np

from rbdyn.collision import Box, Capsule, Cylinder, Ellipsoid, HalfSpace, Sphere


def rotation(rng):
    """A random rotation matrix."""
    Q, R = np.linalg.qr(rng.normal(size=(3, 3)))
    Q *= np.sign(np.diag(R))
    Q[:, 0] *= np.linalg.det(Q)
    return Q


def pose(x, y, z, R=None):
    X = np.eye(4)
    X[:3, 3] = x, y, z
    if R is not None:
        X[:3, :3] = R
    return X


def turn(axis, angle):
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = np.eye(3)
    R[i, i] = R[j, j] = np.cos(angle)
    R[j, i], R[i, j] = np.sin(angle), -np.sin(angle)
    return R


def contacts(backend, *parts):
    """Contacts of (shape, pose) pairs, one a body, in a fresh copy of the backend's class."""
    b = type(backend)(margin=backend.margin)
    for body, (shape, _) in enumerate(parts):
        b.add_shape(shape, body)
    return b.query(np.array([X for _, X in parts]))


def reach(shape, X, directions):
    """Support function: how far a convex shape reaches along world unit directions (k, 3)."""
    d = directions @ X[:3, :3]
    if isinstance(shape, Sphere):
        local = np.full(len(d), shape.radius)
    elif isinstance(shape, Box):
        local = np.abs(d) @ (0.5 * np.array(shape.size))
    elif isinstance(shape, Capsule):
        local = shape.radius + 0.5 * shape.height * np.abs(d[:, 2])
    elif isinstance(shape, Cylinder):
        local = shape.radius * np.hypot(d[:, 0], d[:, 1]) + 0.5 * shape.height * np.abs(d[:, 2])
    elif isinstance(shape, Ellipsoid):
        local = np.linalg.norm(d * shape.radii, axis=1)
    else:
        local = (shape.vertices @ d.T).max(axis=0)
    return local + directions @ X[:3, 3]


def overlap(a, X_a, b, X_b, directions):
    """How far a must move along each direction to be free of b."""
    if isinstance(b, HalfSpace):
        n = X_b[:3, 2]
        free = n @ X_b[:3, 3] + reach(a, X_a, -n[None])[0]
        return np.where(np.abs(directions @ n - 1.0) < 1e-12, free, np.inf)
    return reach(b, X_b, directions) + reach(a, X_a, -directions)


def sphere_of_directions(n):
    """n directions, evenly spread (a Fibonacci lattice)."""
    k = np.arange(n) + 0.5
    z = 1.0 - 2.0 * k / n
    phi = np.pi * (1.0 + 5.0**0.5) * k
    r = np.sqrt(1.0 - z * z)
    return np.stack([r * np.cos(phi), r * np.sin(phi), z], axis=1)


LATTICE = sphere_of_directions(4000)
CLOUD = np.vstack([np.zeros(3), LATTICE[::20]])


def least_overlap(a, X_a, b, X_b):
    """Least push that frees a from b (negative: their distance), and its direction: a sweep, then zooms.

    The landscape has many valleys: the best twelve directions, apart from each other, are zoomed into.
    """
    values = overlap(a, X_a, b, X_b, LATTICE)
    starts = []
    for k in np.argsort(values):
        if all(LATTICE[k] @ n < 0.98 for n in starts):
            starts.append(LATTICE[k])
            if len(starts) == 12:
                break
    n, each = np.array(starts), np.arange(len(starts))
    width = 0.1
    while width > 1e-7:
        cloud = n[:, None] + width * CLOUD
        cloud /= np.linalg.norm(cloud, axis=2, keepdims=True)
        values = overlap(a, X_a, b, X_b, cloud.reshape(-1, 3)).reshape(len(n), -1)
        best = values.argmin(axis=1)
        n, least = cloud[each, best], values[each, best]
        width *= 0.5
    return least.min(), n[least.argmin()]


def touching(a, b, rng, depth):
    """Random poses, then a moved along its least push until they overlap by `depth` (negative: gap)."""
    X_b = pose(*rng.uniform(-1, 1, 3), rotation(rng))
    X_a = pose(*(X_b[:3, 3] + rng.normal(size=3) * 0.3), rotation(rng))
    for _ in range(2):
        least, n = least_overlap(a, X_a, b, X_b)
        X_a[:3, 3] += n * (least - depth)
    return X_a, X_b


def corners(shape, X):
    signs = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
    return signs * (0.5 * np.array(shape.size)) @ X[:3, :3].T + X[:3, 3]


def brute_sat(a, X_a, b, X_b):
    """Least overlap of two boxes over the 15 axes, by projecting all corners; and its axis, into a."""
    P, Q = corners(a, X_a), corners(b, X_b)
    axes = [*X_a[:3, :3].T, *X_b[:3, :3].T]
    axes += [np.cross(u, v) for u in X_a[:3, :3].T for v in X_b[:3, :3].T]
    least, axis = np.inf, None
    for n in axes:
        length = np.linalg.norm(n)
        if length < 1e-5:
            continue
        n = n / length
        for m in (n, -n):
            value = (Q @ m).max() - (P @ m).min()
            if value < least:
                least, axis = value, m
    return least, axis
