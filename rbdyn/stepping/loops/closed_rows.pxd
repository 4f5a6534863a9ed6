# Rows of systems with loops, in the coordinates of their closed mechanisms; and what solved impulses ask of the loops.

from rbdyn.stepping.written cimport Builder


cdef void close_last_row(Builder* b) noexcept nogil
cdef void close_last_cone(Builder* b) noexcept nogil
cdef void load_loops(const Builder* b) noexcept nogil
