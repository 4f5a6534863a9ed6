cdef struct SphereData:
    double radius                  # [m]
