from rbdyn.world.gate cimport Gate

cdef class WorldObject:
    cdef Gate gate               # NULL-like (None) once removed
    cdef readonly str name
    cdef object _world           # weak reference
    cdef object __weakref__
    cdef long moved_at           # number of the World's detection after which this was moved, or 0
    cdef int check_alive(self) except -1
    cdef int forget_contacts(self) except -1
