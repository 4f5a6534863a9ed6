"""Poses in numbers, composed as Transform composes them: to the bit.

Where a rotation only permutes axes, products are exact in any order of the operations.  Elsewhere they are numpy's,
whose sums have roundings of their own.
"""

import numpy as np

from rbdyn.errors import Error
from rbdyn.spatial.transform import Transform

cimport numpy as cnp
from libc.math cimport isfinite

from rbdyn.arguments.arrays cimport data
from rbdyn.spatial._algebra cimport (
    add3, add33, eye3, matmul3, mul3, neg3, rows3, tmul3, transpose3, vec3, zero3,
)

cnp.import_array()

cdef object matmul = np.matmul


cdef cnp.ndarray array33(Mat3 A):
    """A fresh array: other threads may compile at the same time."""
    cdef cnp.npy_intp[2] shape
    shape[0] = shape[1] = 3
    cdef cnp.ndarray a = cnp.PyArray_SimpleNew(2, shape, cnp.NPY_DOUBLE)
    cdef double* x = data(a)
    x[0], x[1], x[2] = A.xx, A.xy, A.xz
    x[3], x[4], x[5] = A.yx, A.yy, A.yz
    x[6], x[7], x[8] = A.zx, A.zy, A.zz
    return a


cdef cnp.ndarray array3(Vec3 b):
    cdef cnp.npy_intp n = 3
    cdef cnp.ndarray a = cnp.PyArray_SimpleNew(1, &n, cnp.NPY_DOUBLE)
    cdef double* x = data(a)
    x[0], x[1], x[2] = b.x, b.y, b.z
    return a


cdef Mat3 read33(cnp.ndarray a) noexcept:
    cdef const double* x = data(a)
    return rows3(vec3(x[0], x[1], x[2]), vec3(x[3], x[4], x[5]), vec3(x[6], x[7], x[8]))


cdef Vec3 read3(cnp.ndarray a) noexcept:
    cdef const double* x = data(a)
    return vec3(x[0], x[1], x[2])


cdef bint is_plain(Mat3 A) noexcept:
    """Whether a rotation has but 0, 1 and -1."""
    cdef const double* x = <const double*> &A
    cdef int k
    for k in range(9):
        if x[k] != 0.0 and x[k] != 1.0 and x[k] != -1.0:
            return False
    return True


cdef int turn_of(Pose a) noexcept:
    """Which Turn (model/model.pxd) its rotation is: none, or that of `rotation_to_z` for the axes x and y."""
    if not a.plain:
        return 3
    if a.R.xx == 1.0 and a.R.yy == 1.0 and a.R.zz == 1.0:
        return 0
    if a.R.xy == 1.0 and a.R.yz == 1.0 and a.R.zx == 1.0:
        return 1
    return 2 if a.R.xz == 1.0 and a.R.yx == 1.0 and a.R.zy == 1.0 else 3


cdef Pose no_pose() noexcept:
    """The identity."""
    cdef Pose a
    a.R, a.p, a.plain = eye3(), zero3(), True
    return a


cdef Pose rotation_of(object R):
    """The pose that turns by R, (3, 3)."""
    cdef Pose a
    a.R, a.p = read33(np.ascontiguousarray(R, dtype=np.float64)), zero3()
    a.plain = is_plain(a.R)
    return a


cdef cnp.ndarray numbers(object a):
    """The same array; a contiguous copy of another one."""
    cdef cnp.ndarray b = a
    return b if cnp.PyArray_IS_C_CONTIGUOUS(b) else np.ascontiguousarray(b)


cdef Pose pose_of(object transform):
    """The numbers of a Transform."""
    cdef Pose a
    a.R, a.p = read33(numbers(transform.rotation)), read3(numbers(transform.translation))
    a.plain = is_plain(a.R)
    return a


cdef Mat3 exact(Mat3 A) noexcept:
    """A product of which each number has one term at most: sums begin with 0, so that none is -0."""
    cdef Mat3 zero = rows3(zero3(), zero3(), zero3())
    return add33(A, zero)


cdef Vec3 times(Mat3 A, Vec3 b, bint plain) except *:
    """A b as numpy has it."""
    if plain or (b.x == 0.0 and b.y == 0.0 and b.z == 0.0):
        return add3(mul3(A, b), zero3())
    return read3(matmul(array33(A), array3(b)))


cdef int check_finite(Vec3 p) except -1:
    if not isfinite(p.x + p.y + p.z):
        raise Error(f"translation must be finite, got {np.array([p.x, p.y, p.z])}")
    return 0


cdef Pose compose(Pose a, Pose b) except *:
    """a @ b."""
    cdef Pose c
    c.plain = a.plain and b.plain
    if a.plain or b.plain:
        c.R = exact(matmul3(a.R, b.R))
    else:
        c.R = read33(matmul(array33(a.R), array33(b.R)))
    c.p = add3(times(a.R, b.p, a.plain), a.p)
    check_finite(c.p)
    return c


cdef Pose inverse(Pose a) except *:
    """The pose that undoes this one."""
    cdef Pose b
    b.R, b.plain = transpose3(a.R), a.plain
    if a.plain or (a.p.x == 0.0 and a.p.y == 0.0 and a.p.z == 0.0):
        b.p = add3(neg3(tmul3(a.R, a.p)), zero3())
    else:
        b.p = read3(matmul(-array33(a.R).T, array3(a.p)))
    check_finite(b.p)
    return b


cdef Vec3 point_in(Pose a, Vec3 at) except *:
    """Where a point is, as `Transform @ point` has it."""
    if a.plain or (at.x == 0.0 and at.y == 0.0 and at.z == 0.0):
        return add3(add3(mul3(a.R, at), zero3()), a.p)
    return add3(read3(matmul(array3(at), array33(a.R).T)), a.p)


cdef Mat3 tensor_in(Pose a, Mat3 J) except *:
    """R J R^T, as `SpatialInertia.transformed` has it."""
    cdef cnp.ndarray R
    if a.plain:
        return exact(matmul3(exact(matmul3(a.R, J)), transpose3(a.R)))
    R = array33(a.R)
    return read33(matmul(matmul(R, array33(J)), R.T))


cdef object transform_of(Pose a):
    """The Transform of these numbers."""
    return Transform(rotation=[[a.R.xx, a.R.xy, a.R.xz], [a.R.yx, a.R.yy, a.R.yz], [a.R.zx, a.R.zy, a.R.zz]],
                     translation=[a.p.x, a.p.y, a.p.z])


cdef object matrix_of_pose(Pose a):
    """Homogeneous matrix, (4, 4)."""
    cdef cnp.npy_intp[2] shape
    shape[0] = shape[1] = 4
    cdef cnp.ndarray M = cnp.PyArray_ZEROS(2, shape, cnp.NPY_DOUBLE, False)
    cdef double* x = data(M)
    x[0], x[1], x[2], x[3] = a.R.xx, a.R.xy, a.R.xz, a.p.x
    x[4], x[5], x[6], x[7] = a.R.yx, a.R.yy, a.R.yz, a.p.y
    x[8], x[9], x[10], x[11] = a.R.zx, a.R.zy, a.R.zz, a.p.z
    x[15] = 1.0
    return M
