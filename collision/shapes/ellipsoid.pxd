from rbdyn.spatial._algebra cimport Vec3


cdef struct EllipsoidData:
    Vec3 radii                     # semi-axes along x, y and z [m]
