"""Overlaps that no push lessens: overlaps.pxd."""

from rbdyn.collision._types cimport ContactPoint, Pose
from rbdyn.collision.overlap cimport KnownOverlaps, Overlap
from rbdyn.stepping.constraints.contact.depths cimport least_overlap
from rbdyn.stepping.pair_history cimport PairTable, comes_before, is_of_pair

cdef double PATIENCE = 5.0     # depths that a pair is asked to part before it is left alone
cdef double WORTH = 30.0       # times as far as it has parted meanwhile, as well
cdef double EASE = 10.0        # times as far as it has parted, at any time, if it was deep when it was first seen
cdef double MORE = 1.1         # of the largest depth, and it is anew


cdef inline Overlap* known(const PairTable* o, int k) noexcept nogil:
    """Row k of the latest step."""
    return <Overlap*> o.now + k


cdef inline Overlap* note_row(PairTable* o) noexcept nogil:
    """A new row of this step."""
    o.n_next += 1
    return <Overlap*> o.next + o.n_next - 1


cdef KnownOverlaps known_overlaps(PairTable* o, double slop) noexcept nogil:
    """List the overlaps that detection may pass over, with none passed yet."""
    cdef int k
    for k in range(o.n):
        known(o, k).passed = False
    return KnownOverlaps(n=o.n, at=0, of=<Overlap*> o.now, slop=slop)


cdef inline void keep_or_drop(PairTable* o) noexcept nogil:
    """Go past one without a contact: it has parted, unless it was not examined."""
    if known(o, o.at).passed:
        note_row(o)[0] = known(o, o.at)[0]
    o.at += 1


cdef void keep_passed(PairTable* o) noexcept nogil:
    """Keep those beyond the last contact that were not examined."""
    while o.at < o.n:
        keep_or_drop(o)


cdef Handling handling_of(PairTable* o, const ContactPoint* c, const Pose* there, double depth, double slop,
                          double asked) noexcept nogil:
    """Note a pair, `depth` deep, that is to be parted by `asked` in this step [m]; what is to become of it.

    Pairs come in the order of their shapes.  `there` is the pose of body B in body A.
    """
    cdef Overlap* mine
    cdef const Overlap* old = NULL
    while o.at < o.n and comes_before(known(o, o.at), c):
        keep_or_drop(o)
    if o.at < o.n and is_of_pair(known(o, o.at), c):
        old = known(o, o.at)
        o.at += 1
    mine = note_row(o)
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
