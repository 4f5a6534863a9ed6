"""Flat blocks of a height map: aligned squares of cells that lie in one plane with all cells around them."""

from libc.math cimport fabs

cdef double ROUNDING = 16.0 * 2.0 ** -53   # share of the largest height: second differences of planes are no more


cdef inline bint is_flat_at(const double[:, ::1] h, Py_ssize_t i, Py_ssize_t j, double tiny) noexcept nogil:
    """Test whether the cells around a point lie in one plane: whether second differences are below `tiny` [m]."""
    cdef Py_ssize_t ny = h.shape[0], nx = h.shape[1], k, l
    if 0 < j < nx - 1 and fabs(h[i, j - 1] - 2.0 * h[i, j] + h[i, j + 1]) > tiny:
        return False
    if 0 < i < ny - 1 and fabs(h[i - 1, j] - 2.0 * h[i, j] + h[i + 1, j]) > tiny:
        return False
    for k in range(max(0, i - 1), min(i + 1, ny - 1)):
        for l in range(max(0, j - 1), min(j + 1, nx - 1)):
            if fabs(h[k, l] - h[k, l + 1] - h[k + 1, l] + h[k + 1, l + 1]) > tiny:
                return False
    return True


cdef double largest_about(const double[:, ::1] h, Py_ssize_t i_0, Py_ssize_t j_0, Py_ssize_t side) noexcept nogil:
    """The largest absolute height of a block and the cells around it [m]."""
    cdef Py_ssize_t i, j
    cdef double most = 0.0
    for i in range(max(0, i_0 - 1), min(i_0 + side + 2, h.shape[0])):
        for j in range(max(0, j_0 - 1), min(j_0 + side + 2, h.shape[1])):
            most = max(most, fabs(h[i, j]))
    return most


cdef void set_block(const double[:, ::1] h, Py_ssize_t i_0, Py_ssize_t j_0, int power, double tiny,
                    unsigned char[:, ::1] levels) noexcept nogil:
    """Set the levels of a block of 2^power by 2^power cells, less what is beyond the border."""
    cdef Py_ssize_t half = (<Py_ssize_t> 1 << power) >> 1
    cdef Py_ssize_t i_1 = min(i_0 + 2 * half, levels.shape[0]), j_1 = min(j_0 + 2 * half, levels.shape[1]), i, j
    cdef bint flat = True
    if power == 0 or i_0 >= levels.shape[0] or j_0 >= levels.shape[1]:
        return
    for i in range(i_0, i_1 + 1):
        for j in range(j_0, j_1 + 1):
            flat = flat and is_flat_at(h, i, j, tiny)
        if not flat:
            break
    if not flat:
        for i in range(2):
            for j in range(2):
                set_block(h, i_0 + i * half, j_0 + j * half, power - 1, tiny, levels)
        return
    for i in range(i_0, i_1):
        for j in range(j_0, j_1):
            levels[i, j] = power


def set_levels(const double[:, ::1] heights not None, unsigned char[:, ::1] levels not None, blocks, int power):
    """Set the levels of the cells in some blocks.

    A cell of level k > 0 is one of 2^k by 2^k cells, aligned to multiples of 2^k, that lie in one plane but for
    rounding, together with all cells around them; no larger block about it does, up to `power`.

    Parameters
    ----------
    heights : (ny, nx) ndarray of float
        z of the points [m].
    levels : (ny - 1, nx - 1) ndarray of uint8
        Overwritten in these blocks.
    blocks : (4,) tuple of int
        First row of blocks and end, first column and end; each is of 2^power by 2^power cells.
    power : int
        Largest level.
    """
    cdef Py_ssize_t i, j, side = <Py_ssize_t> 1 << power, i_0 = blocks[0], i_1 = blocks[1], j_0 = blocks[2]
    cdef Py_ssize_t j_1 = blocks[3]
    levels[i_0 * side:i_1 * side, j_0 * side:j_1 * side] = 0
    with nogil:
        for i in range(i_0, i_1):
            for j in range(j_0, j_1):
                set_block(heights, i * side, j * side, power,
                          ROUNDING * largest_about(heights, i * side, j * side, side), levels)
