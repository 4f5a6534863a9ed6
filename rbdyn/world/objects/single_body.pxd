from rbdyn.stepping.scene cimport SingleControl, SingleParameters, SingleState
from rbdyn.world.objects.object cimport WorldObject

cdef class SingleBody(WorldObject):
    cdef readonly object geometries      # tuple of Geometry in the body frame
    cdef SingleParameters* body(self) except NULL
    cdef SingleState* state(self) except NULL
    cdef SingleControl* control(self) except NULL
    cdef int begin(self, object geometries, double mass, object inertia, str body_type) except -1
    cdef int put_inertia(self, double mass, object J) except -1
    cdef int set_type(self, str body_type) except -1
    cdef int note_renewal(self) except -1
    cdef int rouse(self) except -1
