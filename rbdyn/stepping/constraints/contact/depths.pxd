# Depths that tell overlaps which shapes were made with from those into which bodies move.


cdef inline double least_overlap() noexcept nogil:
    """Depth from which two shapes of a robot overlap as they were placed [m]: steps of moving robots stay below it."""
    return 1e-3
