# What the joints that turn about z share.

from rbdyn.spatial._algebra cimport Mat3, add3, real, row_x, row_y, row_z, rows3, scale3

cdef inline Mat3 turned_z(real s, real c, Mat3 E) noexcept nogil:
    """Rz(angle)^T E."""
    return rows3(add3(scale3(c, row_x(E)), scale3(s, row_y(E))),
                 add3(scale3(c, row_y(E)), scale3(-s, row_x(E))),
                 row_z(E))
