# Memory of pairs of shapes from step to step, which saves work: one record a pair.
#
# The axis along which two that move were apart: what lies apart along an axis, and stays so, needs no look at its
# shapes.  How far they were apart: until one of them has moved by that, seen from the other, the axis is not tried.
# The least push of two that overlap: it is taken again where it is proven to be the least (known_push.pxd).
# None of them changes what is found, but for rounding.  Pairs come in the order of their slots, each step.

from libc.stdlib cimport free
from libc.string cimport memset

from rbdyn.collision._types cimport HULL_CORE, OWN_CORE, Pose, PosedShape
from rbdyn.collision.bounds cimport longest_way, pose_in
from rbdyn.collision.kernels.known_push cimport KnownPush
from rbdyn.collision.motion.path cimport a_is_smaller
from rbdyn.memory cimport grow
from rbdyn.spatial._algebra cimport Vec3


cdef struct Clearance:
    double gap                     # [m] no point of one shape was nearer to the other; 0: unknown
    Pose there                     # of the smaller shape in the other one then

cdef struct PairRecord:
    int a, b                       # slots of the pair
    int push, clear                # numbers of what is known; -1: nothing
    bint has_axis, spare           # `spare` fills the bytes that snapshots keep
    Vec3 axis                      # unit, world, from b to a

cdef struct Records:               # of one step
    int n, n_push, n_clear
    size_t room, push_room, clear_room
    PairRecord* record             # (n,) sorted by slots
    KnownPush* push                # (n_push,) of pairs that overlapped
    Clearance* clear               # (n_clear,) of pairs that were apart

cdef struct PairMemory:            # all zero: none, with no memory
    int revision                   # of the table whose slots they are
    int next                       # the first of `old` that no pair of this step has come to
    Records old                    # of the latest step
    Records new                    # of this one

cdef struct PairNow:               # the pair at hand
    PairRecord* record
    KnownPush* push                # NULL, both: shapes that are examined as fast as they are remembered
    Clearance* clear


cdef inline void free_records(Records* r) noexcept nogil:
    free(r.record)
    free(r.push)
    free(r.clear)

cdef inline void free_memory(PairMemory* m) noexcept nogil:
    free_records(&m.old)
    free_records(&m.new)
    memset(m, 0, sizeof(PairMemory))

cdef inline int begin_step(PairMemory* m, int revision, int n_pairs) except -1 nogil:
    """Make the new records the old ones, and room for all pairs of this step."""
    m.old, m.new = m.new, m.old
    if revision != m.revision:
        m.old.n = 0
    m.new.n = m.new.n_push = m.new.n_clear = m.next = 0
    m.revision = revision
    return grow(<void**> &m.new.record, &m.new.room, n_pairs, sizeof(PairRecord))

cdef inline bint is_costly(const PosedShape* a) noexcept nogil:
    """Test that support points are searched for, not computed."""
    return a.s.core == HULL_CORE or a.s.core == OWN_CORE

cdef inline int begin_pair(PairMemory* m, int slot_a, int slot_b, const PosedShape* a, const PosedShape* b,
                           PairNow* now) except -1 nogil:
    """Begin a pair with the record of the latest step; pairs come in ascending order."""
    cdef Records* new = &m.new
    cdef PairRecord* r
    cdef const PairRecord* known = NULL
    cdef const PairRecord* old
    while m.next < m.old.n:
        old = m.old.record + m.next
        if old.a > slot_a or (old.a == slot_a and old.b >= slot_b):
            known = old if old.a == slot_a and old.b == slot_b else NULL
            break
        m.next += 1
    r = now.record = new.record + new.n
    if known != NULL:
        r[0] = known[0]
    else:
        memset(r, 0, sizeof(PairRecord))
        r.a, r.b, r.push, r.clear = slot_a, slot_b, -1, -1
    now.push, now.clear = NULL, NULL
    if not (is_costly(a) or is_costly(b)):
        return 0
    grow(<void**> &new.push, &new.push_room, new.n_push + 1, sizeof(KnownPush))
    grow(<void**> &new.clear, &new.clear_room, new.n_clear + 1, sizeof(Clearance))
    now.push, now.clear = new.push + new.n_push, new.clear + new.n_clear
    now.push.n, now.clear.gap = 0, 0.0
    if r.push >= 0:
        now.push[0] = m.old.push[r.push]
    if r.clear >= 0:
        now.clear[0] = m.old.clear[r.clear]
    return 0

cdef inline void end_pair(PairMemory* m, const PairNow* now) noexcept nogil:
    """Keep what is known of the pair begun last."""
    cdef Records* new = &m.new
    cdef PairRecord* r = now.record
    r.push = r.clear = -1
    if now.push != NULL and now.push.n > 0:
        r.push = new.n_push
        new.n_push += 1
    if now.clear != NULL and now.clear.gap > 0.0:
        r.clear = new.n_clear
        new.n_clear += 1
    new.n += r.has_axis or r.push >= 0 or r.clear >= 0


# ---- how far apart --------------------------------------------------------------------------

cdef inline Pose smaller_in_other(const PosedShape* a, const PosedShape* b) noexcept nogil:
    """Pose of the smaller shape in the other one."""
    return pose_in(b.X, a.X) if a_is_smaller(a, b) else pose_in(a.X, b.X)

cdef inline void note_gap(Clearance* c, const PosedShape* a, const PosedShape* b, double gap) noexcept nogil:
    """Keep that two shapes are apart by a gap at least [m]; one that is not positive is none."""
    if gap > 0.0:
        c.gap, c.there = gap, smaller_in_other(a, b)
    else:
        c.gap = 0.0

cdef inline double known_gap(const Clearance* c, const PosedShape* a, const PosedShape* b) noexcept nogil:
    """Lower bound of the distance of two shapes [m]; not positive: unknown."""
    cdef Pose now
    if c == NULL or c.gap <= 0.0:
        return 0.0
    now = smaller_in_other(a, b)
    if a_is_smaller(a, b):
        return c.gap - longest_way(&c.there, &now, a.s.bounds.center, a.s.bounds.radius)
    return c.gap - longest_way(&c.there, &now, b.s.bounds.center, b.s.bounds.radius)
