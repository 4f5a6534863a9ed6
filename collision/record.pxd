# What is said of a shape in Python, read into its record.

from libc.stdint cimport uint64_t

from rbdyn.collision._types cimport Pose, ShapeRecord

cdef int body_index(object value, str name) except -1
cdef uint64_t filter_bits(object value, str name) except? 0
cdef int read_pose(object matrix, str name, Pose* X) except -1
cdef int place(ShapeRecord* s, object pose) except -1
cdef object measure(ShapeRecord* s, object shape)
cdef void settle(ShapeRecord* s) noexcept
