"""Overlaps that no push lessens: overlaps.pxd."""

from libc.stdlib cimport free
from libc.string cimport memcpy, memset

from rbdyn.collision._types cimport ContactPoint, Pose
from rbdyn.collision.overlap cimport KnownOverlaps, Overlap
from rbdyn.memory cimport grow
from rbdyn.stepping.constraints.contact.depths cimport least_overlap

cdef double PATIENCE = 5.0     # depths that a pair is asked to part before it is left alone
cdef double WORTH = 30.0       # times as far as it has parted meanwhile, as well
cdef double EASE = 10.0        # times as far as it has parted, at any time, if it was deep when it was first seen
cdef double MORE = 1.1         # of the largest depth, and it is anew


cdef void release_overlaps(Overlaps* o) noexcept:
    """Give all memory back."""
    free(o.now)
    free(o.next)
    memset(o, 0, sizeof(Overlaps))


cdef KnownOverlaps known_overlaps(Overlaps* o, double slop) noexcept nogil:
    """List the overlaps that detection may pass over, with none passed yet."""
    cdef int k
    for k in range(o.n):
        o.now[k].passed = False
    return KnownOverlaps(n=o.n, at=0, of=o.now, slop=slop)


cdef int begin_overlaps(Overlaps* o, int contacts) except -1 nogil:
    """None yet in this step."""
    grow(<void**> &o.next, &o.room[1], contacts + o.n, sizeof(Overlap))
    o.n_next = o.at = 0
    return 0


cdef inline bint before(const Overlap* o, const ContactPoint* c) noexcept nogil:
    return o.a < c.shape_a or (o.a == c.shape_a and o.b < c.shape_b)


cdef inline void keep_or_drop(Overlaps* o) noexcept nogil:
    """Go past one without a contact: it has parted, unless it was not examined."""
    if o.now[o.at].passed:
        o.next[o.n_next] = o.now[o.at]
        o.n_next += 1
    o.at += 1


cdef void keep_passed(Overlaps* o) noexcept nogil:
    """Keep those beyond the last contact that were not examined."""
    while o.at < o.n:
        keep_or_drop(o)


cdef Handling handling_of(Overlaps* o, const ContactPoint* c, const Pose* there, double depth, double slop,
                          double asked) noexcept nogil:
    """Note a pair, `depth` deep, that is to be parted by `asked` in this step [m]; what is to become of it.

    Pairs come in the order of their shapes.  `there` is the pose of body B in body A.
    """
    cdef Overlap* mine
    cdef const Overlap* old = NULL
    while o.at < o.n and before(o.now + o.at, c):
        keep_or_drop(o)
    if o.at < o.n and o.now[o.at].a == c.shape_a and o.now[o.at].b == c.shape_b:
        old = o.now + o.at
        o.at += 1
    mine = o.next + o.n_next
    o.n_next += 1
    mine[0] = Overlap(a=c.shape_a, b=c.shape_b, depth=depth, asked=0.0, left=False, born=depth > least_overlap(),
                      passed=False, seen=depth, there=there[0])
    if depth <= slop:                                  # they touch, or have parted
        return PART
    if old != NULL:
        mine.born = old.born
        if depth <= MORE * old.depth or old.left and old.born:
            mine.depth, mine.asked, mine.left = max(depth, old.depth), old.asked, old.left
    mine.left = mine.left or mine.born and mine.asked > EASE * (mine.depth - depth)
    mine.asked += asked
    mine.left = mine.left or mine.asked > PATIENCE * depth + WORTH * (mine.depth - depth)
    if mine.left:
        return IGNORE if mine.born else HOLD
    return PART


cdef int copy_overlaps(Overlaps* to, const Overlaps* from_) except -1 nogil:
    """What is known between two steps."""
    grow(<void**> &to.now, &to.room[0], from_.n, sizeof(Overlap))
    memcpy(to.now, from_.now, from_.n * sizeof(Overlap))
    to.n = from_.n
    return 0


cdef void end_overlaps(Overlaps* o) noexcept nogil:
    """What was noted in this step is what the next one knows.  A step that is not done leaves what was known."""
    o.now, o.next = o.next, o.now
    o.room[0], o.room[1] = o.room[1], o.room[0]
    o.n = o.n_next


cdef void forget_overlaps(Overlaps* o, int shape) noexcept nogil:
    """Of a shape that was moved by hand."""
    cdef int k, kept = 0
    for k in range(o.n):
        if o.now[k].a != shape and o.now[k].b != shape:
            o.now[kept] = o.now[k]
            kept += 1
    o.n = kept
