"""The inertia of a moving body, summed from the bodies that fixed joints merge into it.

The sum is that of `SpatialInertia.transformed` and `+`, operation by operation: to the bit.
"""

from functools import reduce
from operator import add as plus

import numpy as np

cimport numpy as cnp
from libc.math cimport fabs, fmax, isfinite

from rbdyn.arguments.arrays cimport data
from rbdyn.model.numbers cimport about_origin
from rbdyn.model.pose cimport numbers, point_in, tensor_in, transform_of
from rbdyn.spatial._algebra cimport Mat3, Vec3, rows3, vec3

cnp.import_array()

cdef object matmul = np.matmul                     # of numpy, whose sums `+` has


cdef class Part:
    """A body that is part of a moving one: its inertia in the internal frame."""

    cdef int read(self, object inertia) except -1:
        """Take the numbers of its body from a SpatialInertia."""
        cdef cnp.ndarray com = numbers(inertia.com), J = numbers(inertia.inertia)
        cdef double* a = data(J)
        cdef Mat3 A = rows3(vec3(a[0], a[1], a[2]), vec3(a[3], a[4], a[5]), vec3(a[6], a[7], a[8]))
        cdef Vec3 c = vec3(data(com)[0], data(com)[1], data(com)[2])
        self.m = inertia.mass
        if self.turned:
            A, c = tensor_in(self.pose, A), point_in(self.pose, c)
            if not is_inertia(A, c):
                inertia.transformed(transform_of(self.pose))     # says what is wrong
            A = halved(A)
        self.c[0], self.c[1], self.c[2] = c.x, c.y, c.z
        self.J[0], self.J[1], self.J[2] = A.xx, A.xy, A.xz
        self.J[3], self.J[4], self.J[5] = A.yx, A.yy, A.yz
        self.J[6], self.J[7], self.J[8] = A.zx, A.zy, A.zz
        return 0


cdef Part new_part(object body, Pose pose, bint turned):
    """The part that a body is, at a pose in the internal frame."""
    cdef Part part = Part.__new__(Part)
    part.body, part.pose, part.turned = body, pose, turned
    part.read(body.inertia)
    return part


cdef bint is_inertia(Mat3 A, Vec3 c) noexcept:
    """Whether numbers are finite, and the matrix as symmetric as SpatialInertia asks."""
    cdef const double* a = <const double*> &A
    cdef double most = 1.0
    cdef int k
    for k in range(9):
        if not isfinite(a[k]):
            return False
        most = fmax(most, fabs(a[k]))
    return (isfinite(c.x) and isfinite(c.y) and isfinite(c.z) and fabs(A.xy - A.yx) <= 1e-9 * most
            and fabs(A.xz - A.zx) <= 1e-9 * most and fabs(A.yz - A.zy) <= 1e-9 * most)


cdef Mat3 halved(Mat3 A) noexcept:
    """(A + A^T) / 2, exactly symmetric."""
    cdef Mat3 B
    cdef double* b = <double*> &B
    cdef const double* a = <const double*> &A
    cdef int i, j
    for i in range(3):
        for j in range(3):
            b[3 * i + j] = 0.5 * a[3 * i + j] + 0.5 * a[3 * j + i]
    return B


cdef int shift(double* J, double m, double x, double y, double z) except -1:
    """J - (m dx) dx, with dx the matrix of the cross product by (x, y, z)."""
    cdef cnp.ndarray skewed = np.zeros((3, 3))
    cdef cnp.ndarray product
    cdef double* b = data(skewed)
    cdef int k
    b[1], b[2], b[5] = -z, y, -x
    b[3], b[6], b[7] = z, -y, x
    product = matmul(m * skewed, skewed)
    for k in range(9):
        J[k] -= data(product)[k]
    return 0


cdef int add(double* m, double* c, double* J, Part part) except -1:
    """SpatialInertia.__add__."""
    cdef double mass = m[0] + part.m
    cdef double[3] at
    cdef double[9] sum
    cdef int i, j, k
    for k in range(9):
        sum[k] = J[k] + part.J[k]
    if mass != 0.0:
        for k in range(3):
            at[k] = (m[0] * c[k] + part.m * part.c[k]) / mass
        shift(sum, m[0], c[0] - at[0], c[1] - at[1], c[2] - at[2])
        shift(sum, part.m, part.c[0] - at[0], part.c[1] - at[1], part.c[2] - at[2])
        for k in range(3):
            c[k] = at[k]
    m[0] = mass
    for i in range(3):
        for j in range(3):
            J[3 * i + j] = 0.5 * sum[3 * i + j] + 0.5 * sum[3 * j + i]
    return 0


cdef Inertiad merged_inertia(list parts):
    """The inertia of all of them, about the origin of the internal frame."""
    cdef Part part = parts[0]
    cdef double m = part.m
    cdef double[3] c
    cdef double[9] J
    cdef int k
    for k in range(3):
        c[k] = part.c[k]
    for k in range(9):
        J[k] = part.J[k]
    for k in range(1, len(parts)):
        add(&m, c, J, parts[k])
    return about_origin(m, vec3(c[0], c[1], c[2]), rows3(vec3(J[0], J[1], J[2]), vec3(J[3], J[4], J[5]),
                                                         vec3(J[6], J[7], J[8])))


cdef int check_sum(list parts) except -1:
    """Error if the sum of these is beyond all numbers."""
    cdef Part part
    cdef Inertiad I = merged_inertia(parts)
    if not isfinite(I.m + I.h.x + I.h.y + I.h.z + I.I_o.xx + I.I_o.yy + I.I_o.zz + I.I_o.xy + I.I_o.xz + I.I_o.yz):
        reduce(plus, [part.body.inertia.transformed(transform_of(part.pose)) for part in parts])
    return 0
