# Along which axes pairs were apart: what lies apart along an axis, and stays so, needs no look at its shapes.
#
# Axes are of the latest step, and save time only: whether an axis still separates a pair is asked anew, and pairs that
# it does not separate are looked at as if there were none.  Pairs come in the order of their slots, each step.

from libc.stdlib cimport free
from libc.string cimport memset

from rbdyn.memory cimport grow
from rbdyn.spatial._algebra cimport Vec3


cdef struct Separation:
    int a, b                       # slots of the pair
    Vec3 axis                      # unit, world, from b to a

cdef struct Separations:           # all zero: none, with no memory
    int revision                   # of the table whose slots they are
    int n_old, n_new, next         # `next`: the first of `old` that no pair of this step has come to
    size_t old_room, new_room
    Separation* old                # (n_old,) of the latest step, sorted
    Separation* new                # (n_new,) of this one


cdef inline void free_separations(Separations* s) noexcept nogil:
    free(s.old)
    free(s.new)
    memset(s, 0, sizeof(Separations))

cdef inline int begin_step(Separations* s, int revision, int n_pairs) except -1 nogil:
    """What was new is old, and there is room for all pairs of this step."""
    s.old, s.new = s.new, s.old
    s.old_room, s.new_room = s.new_room, s.old_room
    s.n_old = s.n_new if revision == s.revision else 0
    s.n_new = s.next = 0
    s.revision = revision
    return grow(<void**> &s.new, &s.new_room, n_pairs, sizeof(Separation))

cdef inline const Separation* find_separation(Separations* s, int a, int b) noexcept nogil:
    """That of a pair, which comes after all that were asked for; NULL if there is none."""
    while s.next < s.n_old and (s.old[s.next].a < a or (s.old[s.next].a == a and s.old[s.next].b < b)):
        s.next += 1
    if s.next < s.n_old and s.old[s.next].a == a and s.old[s.next].b == b:
        return &s.old[s.next]
    return NULL

cdef inline void keep_separation(Separations* s, int a, int b, Vec3 axis) noexcept nogil:
    s.new[s.n_new].a, s.new[s.n_new].b, s.new[s.n_new].axis = a, b, axis
    s.n_new += 1
