from rbdyn.world.snapshot.insides cimport Insides
from rbdyn.world.snapshot.snapshot cimport Snapshot

cdef Insides insides_of(object world)
cdef Snapshot taken(Insides inside)
cdef int begin_look(Insides inside) except -1
cdef Snapshot taken_now(Insides inside)
cdef class Undo:
    cdef Insides inside
    cdef Snapshot before
    cdef list counts                     # of edits of mechanisms
    cdef list stale                      # Models whose mechanisms were edited, which the World had not taken in
    cdef bint edited                     # the World was, since its latest step
    cdef int carry_out(self) except -1

cdef Undo note_now(Insides inside)
