# Poses as they are given: one, or many.

cdef object poses_of(object poses, str name)
