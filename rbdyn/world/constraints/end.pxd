from rbdyn.spatial._algebra cimport Mat3, Vec3
from rbdyn.stepping.links cimport Anchor
from rbdyn.world.objects.object cimport WorldObject

cdef class End:
    cdef readonly WorldObject obj     # None for the world
    cdef readonly str body            # its name, of an articulated system
    cdef int handle                   # body handle
    cdef Mat3 R                       # axes of the body's frame, in those of the scene's pose of it
    cdef Vec3 p                       # its origin there [m]
    cdef Anchor anchor(self, Vec3 point)
    cdef object given(self)
