"""In what order the rays of a batch are cast: order.pxd.

Each ray has a cell, of 24 bits: where it begins among 8 x 8 x 8 boxes around all origins, which face of a cube its
direction points to, and where there among 64 x 64 squares.  Boxes and squares are numbered along a Z curve: near
numbers are near.  Source: G. M. Morton, A computer oriented geodetic data base and a new technique in file sequencing
(IBM, 1966).
"""

import numpy as np

from libc.math cimport INFINITY, fabs
from libc.stdint cimport uint32_t

cdef enum:
    BEGINS = 8                     # boxes along an axis
    SQUARES = 64                   # along a side of the cube's faces
    DIGIT = 256                    # keys are sorted by eight bits at a time


cdef inline uint32_t two_apart(uint32_t x) noexcept nogil:
    """Bits of a number below 256 with a zero between two."""
    x = (x | x << 4) & 0x0F0F
    x = (x | x << 2) & 0x3333
    return (x | x << 1) & 0x5555


cdef inline uint32_t three_apart(uint32_t x) noexcept nogil:
    """Bits of a number below 8 with two zeros between two."""
    return (x & 1) | (x & 2) << 2 | (x & 4) << 4


cdef inline uint32_t whole(double x, uint32_t most) noexcept nogil:
    """The whole part of a number that is not negative; `most` if it is larger, or none."""
    return <uint32_t> x if x < most else most


cdef inline uint32_t square_of(const double* d) noexcept nogil:
    """Where a unit direction points to on a cube, 15 bits."""
    cdef int z = 0 if fabs(d[0]) > fabs(d[1]) else 1
    cdef double half = 0.5 * SQUARES, scale
    cdef uint32_t x, y
    z = 2 if fabs(d[2]) > fabs(d[z]) else z
    scale = half / d[z]
    x = whole(half + scale * d[(z + 1) % 3], SQUARES - 1)
    y = whole(half + scale * d[(z + 2) % 3], SQUARES - 1)
    return <uint32_t> (2 * z + (d[z] < 0.0)) << 12 | two_apart(x) | two_apart(y) << 1


cdef void find_cells(const double* o, const double* d, Py_ssize_t n, uint32_t* cell) noexcept nogil:
    """Of n >= 1 rays."""
    cdef double[3] low, high, scale
    cdef Py_ssize_t i
    cdef uint32_t box
    cdef int k
    for k in range(3):
        low[k] = high[k] = o[k]
    for i in range(1, n):
        for k in range(3):
            low[k], high[k] = min(low[k], o[3 * i + k]), max(high[k], o[3 * i + k])
    for k in range(3):
        scale[k] = BEGINS / (high[k] - low[k]) if 0.0 < high[k] - low[k] < INFINITY else 0.0
    for i in range(n):
        box = 0
        for k in range(3):
            box |= three_apart(whole((o[3 * i + k] - low[k]) * scale[k], BEGINS - 1)) << k
        cell[i] = box << 15 | square_of(d + 3 * i)


cdef bint is_in_order(const uint32_t* cell, Py_ssize_t n) noexcept nogil:
    """Whether most rays follow one that is near, within 8 x 8 squares: sorting gains nothing."""
    cdef Py_ssize_t i, near = 0
    for i in range(1, n):
        near += (cell[i] ^ cell[i - 1]) < 64
    return 2 * near > n


cdef bint sort_by_digit(const uint32_t* cell, int shift, const int* order, Py_ssize_t n, int* sorted_) noexcept nogil:
    """Sort rays by eight bits of their cells, otherwise as before; False, and nothing is done, if all agree."""
    cdef Py_ssize_t[DIGIT] begin
    cdef Py_ssize_t i, count, before = 0
    cdef int k
    for k in range(DIGIT):
        begin[k] = 0
    for i in range(n):
        begin[cell[i] >> shift & (DIGIT - 1)] += 1
    if begin[cell[0] >> shift & (DIGIT - 1)] == n:
        return False
    for k in range(DIGIT):
        count = begin[k]
        begin[k] = before
        before += count
    for i in range(n):
        k = cell[order[i]] >> shift & (DIGIT - 1)
        sorted_[begin[k]] = order[i]
        begin[k] += 1
    return True


cdef int[::1] order_of_rays(const double[:, ::1] origin, const double[:, ::1] direction):
    """Numbers of the rays, as they follow each other: as given, if those that are near do so already."""
    cdef Py_ssize_t n = origin.shape[0]
    cdef int[::1] order = np.arange(n, dtype=np.intc), other
    cdef uint32_t[::1] cell
    cdef int shift
    if n < 2:
        return order
    other, cell = np.empty(n, dtype=np.intc), np.empty(n, dtype=np.uint32)
    with nogil:
        find_cells(&origin[0, 0], &direction[0, 0], n, &cell[0])
    if is_in_order(&cell[0], n):
        return order
    for shift in range(0, 24, 8):
        if sort_by_digit(&cell[0], shift, &order[0], n, &other[0]):
            order, other = other, order
    return order
