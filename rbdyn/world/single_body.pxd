from rbdyn.world._types cimport CSingle
from rbdyn.world.object cimport WorldObject

cdef class SingleBody(WorldObject):
    cdef CSingle c
    cdef readonly object geometries      # list of Geometry in the body frame
    cdef int set_inertia(self, double mass, object inertia) except -1
    cdef int set_type(self, str body_type) except -1
