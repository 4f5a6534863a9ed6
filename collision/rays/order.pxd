# In what order the rays of a batch are cast: those that begin near one another, and go the same way, follow each other.
# What one of them has read of a mesh is then near for the next.

cdef int[::1] order_of_rays(const double[:, ::1] origin, const double[:, ::1] direction)
