from rbdyn.world.snapshot.insides cimport Insides
from rbdyn.world.snapshot.snapshot cimport Snapshot

cdef Insides insides_of(object world)
cdef Snapshot taken(Insides inside)
cdef int go_back(Insides inside, Snapshot s) except -1
