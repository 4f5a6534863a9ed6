cdef struct CapsuleData:
    double radius                  # [m]
    double half_height             # from the centre to that of an end's sphere, along z [m]
