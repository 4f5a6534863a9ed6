from rbdyn.world.snapshot.insides cimport Insides
from rbdyn.world.snapshot.snapshot cimport Snapshot

cdef Insides insides_of(object world)
cdef Snapshot taken(Insides inside)
cdef int begin_look(Insides inside) except -1
cdef Snapshot taken_now(Insides inside)
