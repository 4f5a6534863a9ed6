# Two shapes of one robot in each other, as a World remembers them from step to step.
#
# A pair that is left alone is no contact until it has parted.  When it was `seen` deep, with body B at `there` in body
# A, no push shorter than `seen` parted it; while no point of shape B has moved by more than what lies between `seen`
# and `slop`, it has not parted, and its shapes are not examined.  After that, detection may ask for its depth alone.

from rbdyn.collision._types cimport HALF_SPACE, Pose, ShapeRecord
from rbdyn.collision.bounds cimport longest_way, pose_in


cdef struct Overlap:
    int a, b                  # shapes, a < b
    double depth              # largest since it was last anew [m]
    double asked              # how far it was asked to part since then [m]
    bint left                 # it is not asked any more
    bint born                 # it was deep when it was first seen
    bint passed               # it was not examined in this step: it cannot have parted
    double seen               # [m] how deep it was when it was last examined
    Pose there                # pose of the body of b in that of a then

cdef struct KnownOverlaps:    # of a step; all zero: none
    int n, at                 # `at`: the first that this pair of shapes or a later one may be
    Overlap* of               # (n,) sorted by (a, b); detection writes `passed`, `seen` and `there` of what it passes
    double slop               # [m] a pair that is no deeper has parted


cdef inline bint stays_in(const Overlap* o, const Pose* a, const Pose* b, const ShapeRecord* s,
                          double slop) noexcept nogil:
    """Test that a pair that is left alone has not parted, by the poses of its bodies; s is the shape of b."""
    cdef Pose now
    if s.kind == HALF_SPACE:
        return False
    now = pose_in(a, b)
    return o.seen - longest_way(&o.there, &now, s.center_body, s.bounds.radius) > slop

cdef inline Overlap* left_alone(KnownOverlaps* known, const ShapeRecord* a, const ShapeRecord* b) noexcept nogil:
    """Find a pair among those that are no contacts until they part; NULL.  Pairs come in the order of their shapes."""
    cdef Overlap* o
    while known.at < known.n:
        o = known.of + known.at
        if o.a > a.id or (o.a == a.id and o.b >= b.id):
            return o if o.a == a.id and o.b == b.id and o.left and o.born else NULL
        known.at += 1
    return NULL
