# When two moving shapes meet: conservative advancement (time_of_contact.pxd).

from libc.math cimport fmax

from rbdyn.collision._types cimport ContactBuffer, ContactPoint
from rbdyn.collision.motion.path cimport MovingShape, shift_at
from rbdyn.collision.pair_table cimport PairEntry
from rbdyn.collision.sink cimport Sink
from rbdyn.spatial._algebra cimport Vec3, dot3, sub3

cdef struct Meeting:               # of two shapes, sought
    const PairEntry* table
    MovingShape* a
    MovingShape* b
    Sink* sink
    double margin, touch, obeyed   # [m]
    double met                     # [m] how deep they are at the time that is sought
    double beyond                  # [m]
    double way                     # [m] no two points approach by more in the whole step
    double alone                   # [m] nor by more if either of them is stopped; 0: only one moves
    double gap                     # [m] between them at the start, as far as it was asked for
    # of those that come fast, for which look_closer() was called
    double angle                   # [rad] of relative rotation, at most
    bint winding                   # one of them is a surface: whatever of it is near may come, though they do not turn
    double thin                    # [m] half the thickness of that which moves
    double small_turn              # [rad] by less, no corner comes that was neither seen nor on the face that is near
    bint turns                     # by more: corners may come that were not seen
    double slide                   # share of the step in which what slides along what turns gets no deeper than is safe
    Vec3 axis                      # unit, from b to a: the latest along which they were apart, or else their centres

cdef Meeting meeting(const PairEntry* table, MovingShape* a, MovingShape* b, double margin, double beyond,
                     Sink* sink) noexcept nogil
cdef void look_closer(Meeting* m) noexcept nogil
cdef int look_at(Meeting* m, double t, double margin) noexcept nogil
cdef double next_arrival(const Meeting* m, int first, double t) noexcept nogil
cdef double meeting_time(Meeting* m, double t, bint* near) noexcept nogil
cdef double least_gap(double gap, double end, double sag) noexcept nogil


cdef inline double deepest_of(const ContactBuffer* out, int first) noexcept nogil:
    """[m] of the contacts from `first` on."""
    cdef inline double depth = -1e300
    cdef int i
    for i in range(first, out.n):
        depth = fmax(depth, out.point[i].depth)
    return depth


cdef inline double closing(const Meeting* m, const ContactPoint* c, double t) noexcept nogil:
    """How far the two surfaces approach in a whole step, at the place that they have at t [m]."""
    return dot3(c.normal, sub3(shift_at(m.b, c.position, t), shift_at(m.a, c.position, t)))
