"""How far two shapes that have met may go on: rest_of_step.pxd."""

from libc.math cimport fmax, fmin
from libc.string cimport memset

from rbdyn.collision._types cimport N_KINDS, ContactBuffer, ContactPoint, Pose
from rbdyn.collision.motion.meeting cimport Meeting, deepest_of, look_at, look_closer, meeting, meeting_time
from rbdyn.collision.motion.path cimport MovingShape, path_of, radius_of
from rbdyn.collision.pair_table cimport pair_table
from rbdyn.collision.shape_table cimport Table, compose_pose, find_slot
from rbdyn.collision.sink cimport Sink, begin_sink
from rbdyn.spatial._algebra cimport dot3

cdef double SHALLOW = 0.02         # share of the smaller radius by which they may be in each other at the step's end,
cdef double SHALLOW_THIN = 0.1     # or of half the thickness, if that is less


cdef bint set_out_from(const Table* shapes, const Mover* from_, MovingShape* a, Pose* X) noexcept nogil:
    """Fill in a shape that moves; X holds its pose.  False if there is no such shape."""
    cdef int slot = find_slot(shapes, from_.shape)
    if slot < 0:
        return False
    a.now.s, a.now.X = &shapes.shape[slot], X
    compose_pose(&from_.pose, a.now.s, X)
    a.body, a.motion = &from_.pose, from_.motion
    a.still = dot3(a.motion.w, a.motion.w) == 0.0 and dot3(a.motion.v, a.motion.v) == 0.0
    a.path = path_of(a.now.s, a.body, &a.motion)
    return True


cdef void look_at_entry(Meeting* m, double t, ContactPoint* entry) noexcept nogil:
    """The deepest contact at the fraction t of the motion; all zero if there is none."""
    cdef ContactBuffer* out = m.sink.out
    cdef int i, deepest = 0
    memset(entry, 0, sizeof(ContactPoint))
    look_at(m, t, m.margin)
    for i in range(out.n):
        if out.point[i].depth > out.point[deepest].depth:
            deepest = i
    if out.n > 0:
        entry[0] = out.point[deepest]
    out.n = 0


cdef double free_share(const Table* shapes, const Mover* a, const Mover* b, ContactBuffer* room,
                       ContactPoint* entry) noexcept nogil:
    """The share of their motion, up to 1, after which they are in each other by more than they are now.

    By a little they may be: things push one another along, and the next step holds them.  `room` is for the looks.
    Below 1 `entry` is where they go in then, the normal into `a`, unless it is NULL.
    """
    cdef Meeting m
    cdef MovingShape x, y
    cdef Pose X, Y
    cdef Sink sink
    cdef double deep, t
    cdef bint near
    if not (set_out_from(shapes, a, &x, &X) and set_out_from(shapes, b, &y, &Y)):
        return 1.0
    if pair_table()[x.now.s.kind * N_KINDS + y.now.s.kind].kernel == NULL:
        return 1.0
    begin_sink(&sink, room)
    sink.a, sink.b = x.now.s, y.now.s
    m = meeting(pair_table(), &x, &y, shapes.margin, 0.0, &sink)
    room.n = 0
    look_at(&m, 0.0, m.margin)
    deep = fmax(deepest_of(room, 0), 0.0)
    room.n = 0
    look_closer(&m)
    m.touch = fmax(m.touch + fmin(SHALLOW * fmin(radius_of(&x), radius_of(&y)), SHALLOW_THIN * m.thin),
                   deep + 0.5 * m.touch)
    m.margin, m.met = 2.0 * m.touch, m.touch
    t = fmin(1.0, meeting_time(&m, 0.0, &near))
    if t < 1.0 and entry is not NULL:
        look_at_entry(&m, t, entry)
    return t
