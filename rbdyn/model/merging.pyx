"""The inertia of a moving body, summed anew from the bodies that fixed joints merge into it.

The sum is that of `SpatialInertia.transformed` and `+`, operation by operation, so that a Model that took an edit in
has the bits of one that is compiled anew.
"""

import numpy as np

cimport numpy as cnp

from rbdyn.arguments.arrays cimport data
from rbdyn.model.numbers cimport about_origin
from rbdyn.spatial._algebra cimport rows3, vec3

cnp.import_array()

cdef object matmul = np.matmul                     # of numpy, whose sums `+` has
cdef cnp.ndarray scaled = np.empty((3, 3))
cdef cnp.ndarray skewed = np.empty((3, 3))
cdef cnp.ndarray product = np.empty((3, 3))


cdef class Part:
    """A body that is part of a moving one: its inertia in the internal frame."""

    cdef int read(self, object inertia) except -1:
        """Take the numbers of its body from a SpatialInertia."""
        cdef cnp.ndarray c, J
        cdef int k
        here = inertia if self.pose is None else inertia.transformed(self.pose)
        c, J = here.com, np.ascontiguousarray(here.inertia)
        self.m = here.mass
        for k in range(3):
            self.c[k] = data(c)[k]
        for k in range(9):
            self.J[k] = data(J)[k]
        return 0


cdef list parts_of(Model model, int link):
    """The parts of an internal body, the one that carries the others first."""
    cdef Part part
    parts = model.sums.get(link)
    if parts is None:
        parts = []
        for body, pose in model.parts[link]:
            part = Part.__new__(Part)
            part.body, part.pose = body, None if link == 0 and not parts else pose
            part.read(body.inertia)
            parts.append(part)
        model.sums[link] = parts
    return parts


cdef int shift(double* J, double m, double x, double y, double z) except -1:
    """J - (m dx) dx, with dx the matrix of the cross product by (x, y, z)."""
    cdef double* a = data(scaled)
    cdef double* b = data(skewed)
    cdef const double* c = data(product)
    cdef int k
    b[0] = b[4] = b[8] = 0.0
    b[1], b[2], b[5] = -z, y, -x
    b[3], b[6], b[7] = z, -y, x
    for k in range(9):
        a[k] = m * b[k]
    matmul(scaled, skewed, product)
    for k in range(9):
        J[k] -= c[k]
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


cdef int put_inertia(Model model, int link, Inertiad I) except -1:
    """Write the inertia of an internal body, and what is summed over all of them."""
    cdef int i
    model.c.I_b[link] = I
    model.c.mass = model.c.trace = 0.0
    for i in range(1, model.c.nb):
        model.c.mass += model.c.I_b[i].m
        model.c.trace += model.c.I_b[i].I_o.xx + model.c.I_b[i].I_o.yy + model.c.I_b[i].I_o.zz
    return 0
