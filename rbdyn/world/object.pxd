from rbdyn.world.gate cimport Gate

cdef class WorldObject:
    cdef Gate gate               # NULL-like (None) once removed
    cdef readonly str name
    cdef object _world           # weak reference
    cdef int alive(self) except -1
