"""The Jacobian of a contact problem in compressed rows."""

from rbdyn.contact.after.velocities cimport at
from rbdyn.contact.problem cimport ContactProblem, RowSide, further_sides
from rbdyn.spatial._algebra cimport Vec3, cross3, scale3

import numpy as np


cdef struct Rows:             # being written
    double* data
    int* column
    int n


cdef inline void put(Rows* rows, int column, double value) noexcept nogil:
    rows.data[rows.n] = value
    rows.column[rows.n] = column
    rows.n += 1


cdef inline void put_body(Rows* rows, int body, Vec3 linear, Vec3 angular) noexcept nogil:
    """The six columns of a single body."""
    put(rows, 6 * body, linear.x)
    put(rows, 6 * body + 1, linear.y)
    put(rows, 6 * body + 2, linear.z)
    put(rows, 6 * body + 3, angular.x)
    put(rows, 6 * body + 4, angular.y)
    put(rows, 6 * body + 5, angular.z)


cdef void put_cone(Rows* rows, const ContactProblem* p, int i, int axis) noexcept nogil:
    """The row of cone i along its axis 0 (t1), 1 (t2) or 2 (normal): t . (v + w x arm) = t . v + w . (arm x t)."""
    cdef Vec3 t = at(p.frame + 9 * i + 3 * axis)
    cdef int j
    cdef double y
    if p.single_a != NULL and p.single_a[i] >= 0:
        put_body(rows, p.single_a[i], t, cross3(at(p.arm_a + 3 * i), t))
    if p.single_b != NULL and p.single_b[i] >= 0:
        put_body(rows, p.single_b[i], scale3(-1.0, t), scale3(-1.0, cross3(at(p.arm_b + 3 * i), t)))
    if p.entry3_start != NULL:
        for j in range(p.entry3_start[i], p.entry3_start[i + 1]):
            y = p.entry3[j].x if axis == 0 else (p.entry3[j].y if axis == 1 else p.entry3[j].n)
            put(rows, 6 * p.n_single + p.entry3[j].coordinate, y)


cdef void put_line(Rows* rows, const ContactProblem* p, int r) noexcept nogil:
    """Row r of those that are no cone's."""
    cdef const RowSide* side
    cdef int j
    side = p.side + 2 * r if p.side != NULL else NULL
    while side != NULL:
        for j in range(2):
            if side[j].body >= 0:
                put_body(rows, side[j].body, at(side[j].linear), at(side[j].angular))
        side = further_sides(p, side)
    if p.entry_start != NULL:
        for j in range(p.entry_start[r], p.entry_start[r + 1]):
            put(rows, 6 * p.n_single + p.entry[j].coordinate, p.entry[j].y)


cdef int most_entries(const ContactProblem* p) noexcept nogil:
    """No fewer than there are."""
    cdef int lines = p.n_rows - 3 * p.n_cones, total = 12 * (p.n_rows + p.n_further)
    if p.entry3_start != NULL:
        total += 3 * p.entry3_start[p.n_cones]
    if p.entry_start != NULL:
        total += p.entry_start[lines]
    return total


cdef object jacobian_of(const ContactProblem* p):
    """J, (n_rows, 6 n_single + n_coordinates)."""
    from scipy.sparse import csr_array  # takes as long to load as all of rbdyn

    cdef int most = most_entries(p), i, axis
    cdef double[::1] data = np.empty(max(most, 1))
    cdef int[::1] column = np.empty(max(most, 1), np.intc)
    cdef int[::1] start = np.zeros(p.n_rows + 1, np.intc)
    cdef Rows rows = Rows(&data[0], &column[0], 0)
    for i in range(p.n_cones):
        for axis in range(3):
            put_cone(&rows, p, i, axis)
            start[3 * i + axis + 1] = rows.n
    for i in range(p.n_rows - 3 * p.n_cones):
        put_line(&rows, p, i)
        start[3 * p.n_cones + i + 1] = rows.n
    shape = (p.n_rows, 6 * p.n_single + p.n_coordinates)
    return csr_array((np.asarray(data)[:rows.n], np.asarray(column)[:rows.n], np.asarray(start)), shape=shape)
