from rbdyn.world.snapshot.insides cimport Insides
from rbdyn.world.snapshot.snapshot cimport Snapshot

cdef class Undo:
    cdef Insides inside
    cdef Snapshot before
    cdef list counts                     # of edits of mechanisms
    cdef list stale                      # Models whose mechanisms were edited, which the World had not taken in
    cdef bint edited                     # the World was, since its latest step
    cdef int carry_out(self) except -1

cdef Undo note_now(Insides inside)
cdef Snapshot noted(Insides inside)
cdef int put(Insides inside, Snapshot s, list schedules, dict extras) except -1
cdef bint is_own(Insides inside, Snapshot s) except -1
cdef int check_size(Insides inside, Snapshot s) except -1
