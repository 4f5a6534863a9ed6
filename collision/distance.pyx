"""Signed distance and closest points of two shapes, at one pose or at many."""

from collections import namedtuple

from libc.math cimport INFINITY, fmax, fmin

import numpy as np

from rbdyn.collision._types cimport (
    BOX_CORE, HALF_SPACE, HEIGHT_MAP, HULL_CORE, MESH, Pose, PosedShape, ShapeRecord,
)
from rbdyn.collision.bounds cimport centre_of
from rbdyn.collision.kernels.core cimport core_radius, support
from rbdyn.collision.kernels.epa cimport penetrate
from rbdyn.collision.kernels.gjk cimport descend
from rbdyn.collision.kernels.triangle cimport TriangleData
from rbdyn.collision.kernels.vectors cimport along, axis_z, norm3
from rbdyn.collision.pieces.collide cimport begin_piece, measure_piece
from rbdyn.collision.pieces.walk cimport Walk, begin_walk, next_triangle
from rbdyn.collision.record cimport measure, read_pose
from rbdyn.collision.signals cimport check_signals
from rbdyn.spatial._algebra cimport Vec3, dot3, neg3, scale3, sub3

from rbdyn.errors import CollisionError

cdef enum:
    MAX_RESTARTS = 50
    POSES_A_LOOK = 256                 # pairs measured between two looks for signals

cdef struct Nearest:                   # of two shapes
    double distance                    # [m], negative if they overlap
    Vec3 on_a, on_b                    # world [m]
    Vec3 normal                        # unit, from b to a

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


cdef inline bint is_polytope(const PosedShape* a) noexcept nogil:
    """Whether its core is, so that the descent ends."""
    return a.s.core == BOX_CORE or a.s.core == HULL_CORE


cdef double refine(const PosedShape* a, const PosedShape* b, double apart, Vec3* x, Vec3* n) noexcept nogil:
    """Go on from where the descent of curved cores got stuck on points too close together, until a plane proves it.

    The distance is between that of the points and the gap along the normal.  Each round goes as far as it can towards
    the points that are nearest along the normal (M. Frank, P. Wolfe, An algorithm for quadratic programming, 1956), and
    begins the descent anew from there.
    """
    cdef Vec3 x_b = along(x[0], -apart, n[0]), y, m, s_a, s_b, v, d
    cdef double again, t
    for _ in range(MAX_RESTARTS):
        s_a, s_b = support(a, neg3(n[0])), support(b, n[0])
        v = sub3(x[0], x_b)
        d = sub3(v, sub3(s_a, s_b))
        t = dot3(v, d)
        if t <= 1e-13 * apart * apart:
            break
        t = fmin(1.0, t / dot3(d, d))
        x[0], x_b = along(x[0], t, sub3(s_a, x[0])), along(x_b, t, sub3(s_b, x_b))
        v = sub3(x[0], x_b)
        apart = norm3(v)
        n[0] = scale3(1.0 / apart, v)
        again = descend(a, b, 1e100, n[0], 1e-15, &y, &m)
        if 0.0 < again < apart:
            apart, x[0], n[0] = again, y, m
            x_b = along(x[0], -apart, n[0])
    return apart


cdef bint find_convex(const PosedShape* a, const PosedShape* b, double reach, Nearest* out) noexcept nogil:
    """Of two convex shapes, or pieces; False if they are farther apart than `reach` [m]."""
    cdef double r_a = core_radius(a), r_b = core_radius(b), apart
    cdef Vec3 x, n
    apart = descend(a, b, r_a + r_b + fmin(reach, 1e100), sub3(centre_of(a), centre_of(b)), 1e-15, &x, &n)
    if apart >= r_a + r_b + reach:
        return False
    if apart < 0.0:
        apart = -penetrate(a, b, &x, &n)
        if apart > 0.0:                    # they do not overlap, but nearly
            apart = max(apart, descend(a, b, 1e100, n, 1e-15, &x, &n))
    if apart > 0.0 and not (is_polytope(a) and is_polytope(b)):
        apart = refine(a, b, apart, &x, &n)
    out.distance, out.normal = apart - r_a - r_b, n
    out.on_a, out.on_b = along(x, -r_a, n), along(x, r_b - apart, n)
    return True


cdef void find_above_plane(const PosedShape* plane, const PosedShape* b, Nearest* out) noexcept nogil:
    """Of a half-space and a shape with a core."""
    cdef Vec3 up = axis_z(&plane.X.R)
    out.on_b = along(support(b, neg3(up)), -core_radius(b), up)
    out.distance = dot3(up, sub3(out.on_b, plane.X.p))
    out.on_a, out.normal = along(out.on_b, -out.distance, up), neg3(up)


cdef void find_in_surface(const PosedShape* a, const PosedShape* b, double more, Nearest* out) noexcept nogil:
    """Of a convex shape and the triangles of a surface within `more` [m] of its box, if that is nearer than `out`."""
    cdef Walk walk
    cdef TriangleData t
    cdef ShapeRecord s
    cdef PosedShape piece
    cdef Nearest one
    begin_piece(b, &s, &t, &piece)
    begin_walk(&walk, b, a, more)
    while next_triangle(&walk, &t) >= 0 and out.distance > 0.0:
        measure_piece(&s, &t)
        if find_convex(a, &piece, out.distance, &one) and one.distance < out.distance:
            out[0] = one
            out.distance = fmax(out.distance, 0.0)


cdef void find_in_both(const PosedShape* a, const PosedShape* b, double more, Nearest* out) noexcept nogil:
    """Likewise of two surfaces."""
    cdef Walk walk
    cdef TriangleData t
    cdef ShapeRecord s
    cdef PosedShape piece
    begin_piece(a, &s, &t, &piece)
    begin_walk(&walk, a, b, more)
    while next_triangle(&walk, &t) >= 0 and out.distance > 0.0:
        measure_piece(&s, &t)
        find_in_surface(&piece, b, fmin(more, out.distance), out)


cdef void turn_round(Nearest* out) noexcept nogil:
    """As if the other shape came first."""
    out.on_a, out.on_b, out.normal = out.on_b, out.on_a, neg3(out.normal)


cdef inline bint is_surface(const PosedShape* a) noexcept nogil:
    return a.s.kind == <int> MESH or a.s.kind == <int> HEIGHT_MAP


cdef void find_nearest(const PosedShape* a, const PosedShape* b, Nearest* out) noexcept nogil:
    """Of any two shapes that have a distance."""
    cdef Vec3 between = sub3(centre_of(a), centre_of(b))
    cdef double far = norm3(between) + a.s.bounds.radius + b.s.bounds.radius, more
    out.distance = INFINITY
    if a.s.kind == HALF_SPACE:
        find_above_plane(a, b, out)
    elif b.s.kind == HALF_SPACE:
        find_above_plane(b, a, out)
        turn_round(out)
    elif not (is_surface(a) or is_surface(b)):
        find_convex(a, b, INFINITY, out)
    else:
        more = fmin(far, 0.1 * fmin(a.s.bounds.radius, b.s.bounds.radius))
        while True:                        # boxes that grow until what is found is nearer than they reach
            if is_surface(a) and is_surface(b):
                find_in_both(a, b, more, out)
            elif is_surface(b):
                find_in_surface(a, b, more, out)
            else:
                find_in_surface(b, a, more, out)
            if out.distance <= more or more > far:
                break
            more *= 4.0
        if is_surface(a) and not is_surface(b):
            turn_round(out)


cdef object poses_of(object poses, str name):
    """(n, 4, 4), and whether it was one."""
    try:
        array = np.array(poses, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise CollisionError(f"{name} must be a (4, 4) or (n, 4, 4) array [m]") from None
    if array.ndim not in (2, 3) or array.shape[-2:] != (4, 4):
        raise CollisionError(f"{name} must be a (4, 4) or (n, 4, 4) array [m], got shape {array.shape}")
    return array.reshape(-1, 4, 4), array.ndim == 2


def distance(shape_a, pose_a, shape_b, pose_b):
    """Signed distance and closest points of two shapes.

    Source: E. Gilbert, D. Johnson, S. Keerthi, A fast procedure for computing the distance between complex objects
    (IEEE J. Robotics and Automation 4, 1988), and if they overlap the expanding polytope of G. van den Bergen,
    Proximity queries and penetration depth computation on 3D game objects (GDC 2001).

    Parameters
    ----------
    shape_a, shape_b : Shape
        Any but two half-spaces, or a half-space and a height map.  A mesh or a height map is its surface: of what cuts
        it the distance is 0, and what is inside is as far as the surface.
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
    cdef ShapeRecord record_a, record_b
    cdef PosedShape a, b
    cdef Pose X, Y
    cdef Nearest found
    cdef double[:, ::1] out
    cdef int k, n
    alive = measure(&record_a, shape_a), measure(&record_b, shape_b)
    if {record_a.kind, record_b.kind} <= {HALF_SPACE, HEIGHT_MAP} and HALF_SPACE in (record_a.kind, record_b.kind):
        raise CollisionError(f"a {shape_a.kind} and a {shape_b.kind} have no distance: both are without end")
    poses_a, single_a = poses_of(pose_a, "pose_a")
    poses_b, single_b = poses_of(pose_b, "pose_b")
    n = len(poses_b) if single_a else len(poses_a)
    if not single_b and len(poses_b) != n:
        raise CollisionError(f"pose_a and pose_b must be as many, or one of them one, got {len(poses_a)} and "
                             f"{len(poses_b)}")
    out = result = np.empty((n, 10))
    a.s, a.X, b.s, b.X = &record_a, &X, &record_b, &Y
    for k in range(n):
        read_pose(poses_a[0 if single_a else k], "pose_a", &X)
        read_pose(poses_b[0 if single_b else k], "pose_b", &Y)
        with nogil:
            find_nearest(&a, &b, &found)
        out[k, 0] = found.distance
        out[k, 1], out[k, 2], out[k, 3] = found.on_a.x, found.on_a.y, found.on_a.z
        out[k, 4], out[k, 5], out[k, 6] = found.on_b.x, found.on_b.y, found.on_b.z
        out[k, 7], out[k, 8], out[k, 9] = found.normal.x, found.normal.y, found.normal.z
        if k % POSES_A_LOOK == POSES_A_LOOK - 1:
            check_signals()
    del alive
    if single_a and single_b:
        return Closest(float(result[0, 0]), result[0, 1:4].copy(), result[0, 4:7].copy(), result[0, 7:].copy())
    return Closest(result[:, 0].copy(), result[:, 1:4].copy(), result[:, 4:7].copy(), result[:, 7:].copy())
