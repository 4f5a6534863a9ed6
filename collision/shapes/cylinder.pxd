cdef struct CylinderData:
    double radius                  # [m]
    double half_height             # from the centre to a cap, along z [m]
