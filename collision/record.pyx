"""What is said of a shape in Python, read into its record."""

import operator

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.math cimport fabs, isfinite, sqrt

import numpy as np

from rbdyn.collision._types cimport Bounds
from rbdyn.collision.broad_phase.filters cimport APART
from rbdyn.collision.pair_table cimport KindEntry, kind_entry, kind_number
from rbdyn.spatial._algebra cimport Mat3, add3, dot3, matmul3, mul3, rows3, transpose3, vec3

from rbdyn.arguments import shown
from rbdyn.collision.shapes import Shape
from rbdyn.errors import CollisionError


cdef int body_index(object value, str name) except -1:
    try:
        index = operator.index(value)
    except TypeError:
        raise CollisionError(f"{name} must be a body index (int), got {shown(value)}") from None
    if isinstance(value, bool) or not 0 <= index < <int> APART:
        raise CollisionError(f"{name} must be a body index, 0 or more and below 2**28, got {shown(value)}")
    return index


cdef uint64_t filter_bits(object value, str name) except? 0:
    """64 filter bits from an int; negative ones in two's complement, so that -1 is every bit."""
    try:
        bits = operator.index(value)
    except TypeError:
        raise CollisionError(f"{name} must be an int of 64 bits, got {shown(value)}") from None
    if not -(2**63) <= bits < 2**64:
        raise CollisionError(f"{name} must be an int of 64 bits, got {shown(value)}")
    return bits & 0xFFFFFFFFFFFFFFFF


cdef int read_pose(object matrix, str name, Pose* X) except -1:
    """A (4, 4) rigid transform; its rotation is made orthonormal to rounding by one Newton step."""
    try:
        T = np.array(matrix, dtype=np.float64)
    except (TypeError, ValueError):
        raise CollisionError(f"{name} must be a (4, 4) array of float, got {shown(matrix)}") from None
    if T.shape != (4, 4):
        raise CollisionError(f"{name} must be a (4, 4) array [m], got shape {T.shape}")
    cdef const double[:, ::1] t = np.ascontiguousarray(T)
    if not take_pose(&t[0, 0], X):
        refuse_pose(T, name)
    return 0


cdef int refuse_pose(object T, str name) except -1:
    """Why a (4, 4) array is no pose."""
    T = np.asarray(T)
    if not np.isfinite(T).all():
        raise CollisionError(f"{name} must be finite")
    raise CollisionError(f"{name} must be a rigid transform (rotation, translation; last row 0 0 0 1), got {shown(T)}")


cdef object poses_array(object poses):
    """What is an (n, 4, 4) array of numbers already, in float64 and in order; else None."""
    if isinstance(poses, np.ndarray) and poses.ndim == 3 and poses.shape[1:] == (4, 4) and poses.dtype.kind in "fiu":
        return np.ascontiguousarray(poses, dtype=np.float64)
    return None


cdef bint take_pose(const double* t, Pose* X) noexcept nogil:
    """A (4, 4) array as a pose, as `read_pose` does; False if it is none."""
    cdef Mat3 R, G
    if not (isfinite(sum_of(t)) and is_rigid(t)):
        return False
    R = rows3(vec3(t[0], t[1], t[2]), vec3(t[4], t[5], t[6]), vec3(t[8], t[9], t[10]))
    G = matmul3(transpose3(R), R)
    X.R = matmul3(R, rows3(vec3(1.5 - 0.5 * G.xx, -0.5 * G.xy, -0.5 * G.xz),
                           vec3(-0.5 * G.yx, 1.5 - 0.5 * G.yy, -0.5 * G.yz),
                           vec3(-0.5 * G.zx, -0.5 * G.zy, 1.5 - 0.5 * G.zz)))
    X.p = vec3(t[3], t[7], t[11])
    return True


cdef double sum_of(const double* t) noexcept nogil:
    """Of the sizes of 16 numbers, scaled so that it overflows for none: finite if all are."""
    cdef double total = 0.0
    cdef int k
    for k in range(16):
        total += fabs(t[k]) / 32.0
    return total


cdef bint is_rigid(const double* t) noexcept nogil:
    """Whether a (4, 4) array is a rotation and a translation, up to what is made good."""
    cdef double dot, det
    cdef int i, j
    for i in range(3):
        for j in range(i, 3):                            # columns of the rotation
            dot = t[i] * t[j] + t[4 + i] * t[4 + j] + t[8 + i] * t[8 + j]
            if not fabs(dot - (i == j)) <= 1e-6:
                return False
        if fabs(t[12 + i]) > 1e-9:
            return False
    det = (t[0] * (t[5] * t[10] - t[6] * t[9]) - t[1] * (t[4] * t[10] - t[6] * t[8])
           + t[2] * (t[4] * t[9] - t[5] * t[8]))
    return det > 0.0 and fabs(t[15] - 1.0) <= 1e-9


cdef int place(ShapeRecord* s, object pose) except -1:
    """Set the pose of a shape in its body, and what follows from it."""
    read_pose(np.eye(4) if pose is None else pose, "pose", &s.local)
    settle(s)
    return 0


cdef void settle(ShapeRecord* s) noexcept:
    """What follows from the bounds of a shape and its pose in its body."""
    s.aligned = (s.local.R.xx == 1.0 and s.local.R.yy == 1.0 and s.local.R.zz == 1.0)
    s.center_body = add3(s.local.p, mul3(s.local.R, s.bounds.center))
    s.far = sqrt(dot3(s.center_body, s.center_body)) + s.bounds.radius


cdef object measure(ShapeRecord* s, object shape):
    """Kind, bounds and sizes of a shape; returns what `data` points into, to be kept alive."""
    cdef const KindEntry* entry
    cdef bytes packed
    if not isinstance(shape, Shape):
        names = ", ".join(sorted(cls.__name__ for cls in Shape.__subclasses__()))
        raise CollisionError(f"shape must be one of {names}, got {shown(shape)}")
    known = shape.data()
    s.kind = kind_number(known.kind)
    entry = kind_entry(s.kind)
    s.convex, s.data = entry.convex, NULL
    s.core = entry.core
    alive = ()
    if entry.size > 0:
        packed = known.packed()
        if <size_t> PyBytes_GET_SIZE(packed) != entry.size:
            raise CollisionError(f"{type(shape).__name__}.data() has {len(packed)} bytes of sizes, "
                                 f"a {known.kind} has {entry.size}")
        s.data = PyBytes_AS_STRING(packed)
        alive = packed, *[value for value in known.sizes.values() if isinstance(value, np.ndarray)]
    read_bounds(&s.bounds, known)
    if not isfinite(s.bounds.radius * s.bounds.radius):
        raise CollisionError(f"shape is too large to be measured: {shown(shape)}")
    return alive


cdef int read_bounds(Bounds* b, object known) except -1:
    b.radius, b.ball = known.radius, known.ball
    b.center.x, b.center.y, b.center.z = known.center
    b.box.x, b.box.y, b.box.z = known.box
    b.ellipsoid.x, b.ellipsoid.y, b.ellipsoid.z = known.ellipsoid
    b.centered = known.center == (0.0, 0.0, 0.0)
    b.curved = known.ellipsoid != (0.0, 0.0, 0.0)
    b.round = known.box == (0.0, 0.0, 0.0) and not b.curved
    return 0
