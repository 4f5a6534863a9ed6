cdef struct ConeData:
    double radius                  # of the base [m]
    double half_height             # from the middle of the axis to the base, and to the apex at +z [m]
