"""Signed distance and closest points of two shapes, at one pose or at many."""

from collections import namedtuple

import numpy as np

from rbdyn.collision._types cimport HALF_SPACE, HEIGHT_MAP, Pose, PosedShape, ShapeRecord
from rbdyn.collision.kernels.nearest cimport Nearest
from rbdyn.collision.kernels.support.own_function cimport check_functions
from rbdyn.collision.nearest cimport find_nearest
from rbdyn.collision.record cimport measure, pose_at
from rbdyn.collision.signals cimport check_signals

from rbdyn.collision.shapes import Compound
from rbdyn.errors import CollisionError

cdef enum:
    POSES_A_LOOK = 256                 # pairs measured between two looks for signals

Closest = namedtuple("Closest", ["distance", "on_a", "on_b", "normal"])
Closest.__doc__ = """What is nearest of two shapes, in world axes.

Parameters
----------
distance : float
    [m]; negative if they overlap: by how much one must move along `normal` to be free.
on_a, on_b : (3,) ndarray
    The closest points, or those that are deepest in each other [m].
normal : (3,) ndarray
    Unit, from b to a.

Of n poses all of them have a first axis of length n.
"""


cdef object poses_of(object poses, str name):
    """(n, 4, 4), and whether it was one."""
    try:
        array = np.array(poses, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise CollisionError(f"{name} must be a (4, 4) or (n, 4, 4) array [m]") from None
    if array.ndim not in (2, 3) or array.shape[array.ndim - 2 :] != (4, 4):
        raise CollisionError(f"{name} must be a (4, 4) or (n, 4, 4) array [m], got shape {array.shape}")
    return array.reshape(-1, 4, 4), array.ndim == 2


def placed_parts(shape, pose, name):
    """The parts of a shape with their poses, (4, 4) or (n, 4, 4): itself, if it is no Compound."""
    if not isinstance(shape, Compound):
        return [(shape, pose)]
    poses, single = poses_of(pose, name)
    return [(part, poses[0] @ local if single else poses @ local) for part, local in shape.parts]


def nearest_parts(shape_a, pose_a, shape_b, pose_b):
    """`distance` of shapes one or both of which are compounds: of all pairs of parts the least, the first of equals."""
    best = None
    for part_a, X in placed_parts(shape_a, pose_a, "pose_a"):
        for part_b, Y in placed_parts(shape_b, pose_b, "pose_b"):
            found = distance(part_a, X, part_b, Y)
            if best is None:
                best = found
            elif np.ndim(found.distance) == 0:
                best = found if found.distance < best.distance else best
            else:
                nearer = found.distance < best.distance
                best = Closest(np.where(nearer, found.distance, best.distance),
                               *(np.where(nearer[:, None], new, old) for new, old in zip(found[1:], best[1:])))
    return best


def distance(shape_a, pose_a, shape_b, pose_b):
    """Signed distance and closest points of two shapes.

    Source: E. Gilbert, D. Johnson, S. Keerthi, A fast procedure for computing the distance between complex objects
    (IEEE J. Robotics and Automation 4, 1988), and if they overlap the expanding polytope of G. van den Bergen,
    Proximity queries and penetration depth computation on 3D game objects (GDC 2001).

    Parameters
    ----------
    shape_a, shape_b : Shape
        Any but two half-spaces, or a half-space and a height map.  A mesh or a height map is its surface: of what cuts
        it the distance is 0, and what is inside is as far as the surface.  Of a Compound it is the nearest of its
        parts, and if they overlap the deepest.
    pose_a, pose_b : (4, 4) or (n, 4, 4) array_like of float
        World poses [m]; if there are n of one, there may be one of the other.

    Returns
    -------
    closest : Closest
        distance [m], on_a, on_b [m] and normal (from b to a), in world axes; of n poses with a first axis of length n.

    Raises
    ------
    CollisionError
        If a shape or a pose is none, or the two have no distance.

    Examples
    --------
    >>> import numpy as np
    >>> from rbdyn.collision import Box, Sphere, distance
    >>> pose = np.eye(4)
    >>> pose[2, 3] = 2.0
    >>> float(distance(Sphere(0.5), pose, Box((1.0, 1.0, 1.0)), np.eye(4)).distance)
    1.0
    """
    if isinstance(shape_a, Compound) or isinstance(shape_b, Compound):
        return nearest_parts(shape_a, pose_a, shape_b, pose_b)
    cdef ShapeRecord record_a, record_b
    cdef PosedShape a, b
    cdef Pose X, Y
    cdef Nearest found
    cdef double[:, ::1] out
    cdef const double[:, :, ::1] at_a, at_b
    cdef int k, n
    alive = measure(&record_a, shape_a), measure(&record_b, shape_b)
    kinds = {record_a.kind, record_b.kind}
    if kinds <= {<int> HALF_SPACE, <int> HEIGHT_MAP} and <int> HALF_SPACE in kinds:
        raise CollisionError(f"a {shape_a.kind} and a {shape_b.kind} have no distance: both are without end")
    poses_a, single_a = poses_of(pose_a, "pose_a")
    poses_b, single_b = poses_of(pose_b, "pose_b")
    n = len(poses_b) if single_a else len(poses_a)
    if not single_b and len(poses_b) != n:
        raise CollisionError(f"pose_a and pose_b must be as many, or one of them one, got {len(poses_a)} and "
                             f"{len(poses_b)}")
    out = result = np.empty((n, 10))
    at_a, at_b = poses_a, poses_b
    a.s, a.X, b.s, b.X = &record_a, &X, &record_b, &Y
    for k in range(n):
        pose_at(at_a, 0 if single_a else k, "pose_a", &X)
        pose_at(at_b, 0 if single_b else k, "pose_b", &Y)
        with nogil:
            find_nearest(&a, &b, &found)
        out[k, 0] = found.distance
        out[k, 1], out[k, 2], out[k, 3] = found.on_a.x, found.on_a.y, found.on_a.z
        out[k, 4], out[k, 5], out[k, 6] = found.on_b.x, found.on_b.y, found.on_b.z
        out[k, 7], out[k, 8], out[k, 9] = found.normal.x, found.normal.y, found.normal.z
        check_functions()
        if k % POSES_A_LOOK == POSES_A_LOOK - 1:
            check_signals()
    del alive
    if single_a and single_b:
        return Closest(float(result[0, 0]), result[0, 1:4].copy(), result[0, 4:7].copy(), result[0, 7:].copy())
    return Closest(result[:, 0].copy(), result[:, 1:4].copy(), result[:, 4:7].copy(), result[:, 7:].copy())
