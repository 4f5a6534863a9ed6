from rbdyn.model.model cimport Model
from rbdyn.model.state cimport State
from rbdyn.spatial._algebra cimport Vec3
from rbdyn.world._types cimport CSystem
from rbdyn.world.object cimport WorldObject

cdef class ArticulatedSystem(WorldObject):
    cdef CSystem c
    cdef readonly Model model
    cdef readonly State state
    cdef int build(self, object mechanism) except -1
    cdef Vec3 gravity            # the World's [m/s^2]
    cdef Model compiled(self)
    cdef int set_gravity(self, Vec3 gravity) except -1
    cdef object _get(self, const double* x, int n)
    cdef int _push(self, int body, Vec3 n, Vec3 f) except -1
