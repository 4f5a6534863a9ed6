from rbdyn.spatial._algebra cimport Vec3


cdef struct BoxData:
    Vec3 half                      # half sides [m]
