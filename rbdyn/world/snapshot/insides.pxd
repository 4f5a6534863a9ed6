# Where everything lies that belongs to a snapshot of a World.  The pointers are into the World, which owns this.

from rbdyn.archive cimport Archive
from rbdyn.stepping.pipeline cimport Pipeline
from rbdyn.world.registry.registry cimport Registry

cdef struct Clock:            # how far a World is, as world.pxd says it
    long* steps
    double* whole_step
    double* time_before
    long* steps_before

cdef class Insides:
    cdef Clock clock
    cdef Pipeline pipeline
    cdef Registry registry
    cdef object members          # Members of the latest snapshot, or None
    cdef object materials        # (revision of its table of materials, what that says), or None
    cdef public object scheduler     # Scheduler, once something was scheduled
    cdef public object random        # numpy Generator, once somebody asked for it
    cdef public object extras        # name -> what packages above keep with the World, which snapshots note; or None
    cdef object first            # Snapshot that `reset` goes to, or None
    cdef int keep_all(self, Archive* a) except -1
    cdef bytes saved(self)
    cdef bint fits(self, bytes content) except -1
    cdef int load(self, bytes content) except -1
    cdef object __weakref__
