# What is said of a shape in Python, read into its record.

from libc.stdint cimport uint64_t

from rbdyn.collision._types cimport Pose, ShapeRecord

cdef int body_index(object value, str name) except -1
cdef uint64_t filter_bits(object value, str name) except? 0
cdef int read_pose(object matrix, str name, Pose* X) except -1
cdef object poses_array(object poses)
cdef bint take_pose(const double* t, Pose* X) noexcept nogil
cdef int refuse_pose(object T, str name) except -1


cdef inline int pose_at(const double[:, :, ::1] poses, Py_ssize_t k, str name, Pose* X) except -1:
    """Pose k of an (n, 4, 4) array."""
    return 0 if take_pose(&poses[k, 0, 0], X) else refuse_pose(poses[k], name)
cdef int place(ShapeRecord* s, object pose) except -1
cdef object measure(ShapeRecord* s, object shape)
cdef void settle(ShapeRecord* s) noexcept
