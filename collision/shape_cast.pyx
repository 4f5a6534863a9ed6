"""Shapes that are shifted until they meet another one."""

from collections import namedtuple

from libc.math cimport INFINITY, NAN

import numpy as np

from rbdyn.collision._types cimport HALF_SPACE, HEIGHT_MAP, Pose, PosedShape, ShapeRecord
from rbdyn.collision.distance cimport poses_of
from rbdyn.collision.kernels.nearest cimport Nearest
from rbdyn.collision.kernels.support.own_function cimport check_functions
from rbdyn.collision.nearest cimport find_meeting
from rbdyn.collision.record cimport measure, pose_at
from rbdyn.collision.signals cimport check_signals
from rbdyn.spatial._algebra cimport vec3

from rbdyn.arguments import as_array
from rbdyn.collision.distance import placed_parts
from rbdyn.collision.shapes import Compound
from rbdyn.errors import CollisionError

cdef enum:
    CASTS_A_LOOK = 64                  # between two looks for signals

CastHit = namedtuple("CastHit", ["fraction", "position", "normal"])
CastHit.__doc__ = """Where a shape that is shifted meets another one.

Parameters
----------
fraction : float
    Share of the displacement after which they touch, 0 to 1; 0 if they do at the start, infinite if they do not.
position : (3,) ndarray
    Where, world [m]; not a number if they do not.
normal : (3,) ndarray
    Of the shape that is met, unit, world axes; zero if they do not.

Of n casts all of them have a first axis of length n.
"""


def first_parts(shape_a, pose_a, displacement, shape_b, pose_b):
    """`shape_cast` of shapes one or both of which are compounds: the pair of parts that meets first."""
    best = None
    for part_a, X in placed_parts(shape_a, pose_a, "pose_a"):
        for part_b, Y in placed_parts(shape_b, pose_b, "pose_b"):
            found = shape_cast(part_a, X, displacement, part_b, Y)
            if best is None:
                best = found
            elif np.ndim(found.fraction) == 0:
                best = found if found.fraction < best.fraction else best
            else:
                first = found.fraction < best.fraction
                best = CastHit(np.where(first, found.fraction, best.fraction),
                               np.where(first[:, None], found.position, best.position),
                               np.where(first[:, None], found.normal, best.normal))
    return best


def shape_cast(shape_a, pose_a, displacement, shape_b, pose_b):
    """How far a shape can be shifted, without turning, until it meets another one.

    Of two convex shapes the distance is a convex function of the shift: found by Newton's method, up to rounding.

    Parameters
    ----------
    shape_a : Shape
        What is shifted: any but a half-space or a height map, as they have no end.
    pose_a : (4, 4) or (n, 4, 4) array_like of float
        World pose at the start [m].
    displacement : (3,) or (n, 3) array_like of float
        How far, world axes [m].
    shape_b : Shape
        What it may meet, which rests.  A mesh or a height map is its surface: what is inside meets it on the way out.
    pose_b : (4, 4) or (n, 4, 4) array_like of float
        Its world pose [m].

    Returns
    -------
    hit : CastHit
        fraction (0 to 1, or infinite), position [m] and normal (of shape_b), in world axes.

    Raises
    ------
    CollisionError
        If a shape, a pose or a displacement is none.
    ValueError
        If the displacement has another shape, or is not finite.

    Examples
    --------
    >>> import numpy as np
    >>> from rbdyn.collision import HalfSpace, Sphere, shape_cast
    >>> pose = np.eye(4)
    >>> pose[2, 3] = 2.0
    >>> float(shape_cast(Sphere(0.5), pose, (0, 0, -3), HalfSpace(), np.eye(4)).fraction)
    0.5
    """
    if isinstance(shape_a, Compound) or isinstance(shape_b, Compound):
        return first_parts(shape_a, pose_a, displacement, shape_b, pose_b)
    cdef ShapeRecord record_a, record_b
    cdef PosedShape a, b
    cdef Pose X, Y
    cdef Nearest at
    cdef double t
    cdef bint met
    cdef double[:, ::1] out
    cdef const double[:, ::1] way
    cdef const double[:, :, ::1] at_a, at_b
    cdef int k, n
    alive = measure(&record_a, shape_a), measure(&record_b, shape_b)
    if record_a.kind == <int> HALF_SPACE or record_a.kind == <int> HEIGHT_MAP:
        raise CollisionError(f"a {shape_a.kind} cannot be shifted: it is without end; shift the other shape")
    poses_a, single_a = poses_of(pose_a, "pose_a")
    poses_b, single_b = poses_of(pose_b, "pose_b")
    ways = np.asarray(displacement)
    single_way = ways.ndim == 1
    ways = np.atleast_2d(as_array(displacement, (3,) if single_way else (None, 3), "displacement"))
    counts = {len(poses_a), len(poses_b), len(ways)}
    n = 0 if 0 in counts else max(counts)
    if counts - {1, n}:
        raise CollisionError(f"poses and displacements must be as many, or one, got {len(poses_a)}, {len(poses_b)} and "
                             f"{len(ways)}")
    at_a, at_b = poses_a, poses_b
    way = np.ascontiguousarray(np.broadcast_to(ways, (n, 3)))
    out = result = np.empty((n, 7))
    a.s, a.X, b.s, b.X = &record_a, &X, &record_b, &Y
    for k in range(n):
        pose_at(at_a, k if at_a.shape[0] > 1 else 0, "pose_a", &X)
        pose_at(at_b, k if at_b.shape[0] > 1 else 0, "pose_b", &Y)
        with nogil:
            met = find_meeting(&a, &b, vec3(way[k, 0], way[k, 1], way[k, 2]), 1.0, &t, &at)
        check_functions()
        if met:
            out[k, 0] = t
            out[k, 1], out[k, 2], out[k, 3] = at.on_b.x, at.on_b.y, at.on_b.z
            out[k, 4], out[k, 5], out[k, 6] = at.normal.x, at.normal.y, at.normal.z
        else:
            out[k, 0] = INFINITY
            out[k, 1] = out[k, 2] = out[k, 3] = NAN
            out[k, 4] = out[k, 5] = out[k, 6] = 0.0
        if k % CASTS_A_LOOK == CASTS_A_LOOK - 1:
            check_signals()
    del alive
    if single_a and single_b and single_way:
        return CastHit(float(result[0, 0]), result[0, 1:4].copy(), result[0, 4:].copy())
    return CastHit(result[:, 0].copy(), result[:, 1:4].copy(), result[:, 4:].copy())
