# Candidates for the contacts over a reference face, and which of them are kept.
#
# Of what lies on one plane, four at most: the deepest, the farthest from it, and the extremes on both sides.  Of hulls,
# whose vertices lie at any height: those that hold up the others, as on a half-space (half_space_hull.pxd).  Both with
# tolerances, so that a body at rest keeps them.

from libc.math cimport fabs, sqrt


cdef enum:
    MAX_MARKS = 128
    MAX_KEPT = 7

cdef struct Mark:                  # a candidate contact
    double u, v                    # [m] where on the reference face
    double low                     # [m] height of the reference shape's surface there; 0 on the face itself
    double gap                     # [m] height of the other surface above that
    int name

cdef struct Marks:
    int n
    Mark at[MAX_MARKS]


cdef inline void mark(Marks* marks, const Mark* one, double margin, double near) noexcept nogil:
    """Add a candidate, unless one stands there already."""
    cdef int k
    if one.gap >= margin or marks.n == MAX_MARKS:
        return
    for k in range(marks.n):
        if fabs(marks.at[k].u - one.u) < near and fabs(marks.at[k].v - one.v) < near:
            return
    marks.at[marks.n] = one[0]
    marks.n += 1


cdef inline int highest(const Marks* marks) noexcept nogil:
    cdef int k, best = 0
    for k in range(marks.n):
        if marks.at[k].gap > marks.at[best].gap:
            best = k
    return best


cdef inline void mark_vertex(Marks* marks, const Mark* one, double near, int* last) noexcept nogil:
    """Add a candidate; if there is no room, in place of the highest, which is `last` (-1: not known)."""
    if marks.n < MAX_MARKS:
        marks.at[marks.n] = one[0]
        marks.n += 1
        return
    if last[0] < 0:
        last[0] = highest(marks)
    if one.gap < marks.at[last[0]].gap - 0.01 * near:
        marks.at[last[0]] = one[0]
        last[0] = -1


cdef inline int deepest_mark(const Marks* marks, double near) noexcept nogil:
    """The first of those that are as deep as any."""
    cdef double lowest = 1e300
    cdef int k
    for k in range(marks.n):
        lowest = min(lowest, marks.at[k].gap)
    k = 0
    while marks.at[k].gap > lowest + 1e-3 * near:
        k += 1
    return k


# ---- on one plane ------------------------------------------------------------------------

cdef inline int pick_farthest(
        const Marks* marks, double u, double v, double du, double dv, double least) noexcept nogil:
    """The mark farthest along (du, dv) from (u, v), or farthest of all if that is zero; -1: none beyond `least`."""
    cdef int k, best = -1
    cdef double value, x, y
    for k in range(marks.n):
        x, y = marks.at[k].u - u, marks.at[k].v - v
        value = x * du + y * dv if du != 0.0 or dv != 0.0 else x * x + y * y
        if value > least * (1.0 + 1e-6):
            least = value
            best = k
    return best


cdef inline int choose(const Marks* marks, double near, int* kept) noexcept nogil:
    """At most four marks: the deepest, the farthest from it, the extremes on both sides."""
    cdef int k, n = 1, first = deepest_mark(marks, near), second
    cdef double du, dv
    kept[0] = first
    second = pick_farthest(marks, marks.at[first].u, marks.at[first].v, 0.0, 0.0, near * near)
    if second < 0:
        return n
    kept[1] = second
    n = 2
    du, dv = marks.at[second].u - marks.at[first].u, marks.at[second].v - marks.at[first].v
    for k in range(2):
        kept[n] = pick_farthest(marks, marks.at[first].u, marks.at[first].v, -dv if k else dv, du if k else -du,
                                near * (fabs(du) + fabs(dv)))
        if kept[n] >= 0:
            n += 1
    return n


# ---- at any height -----------------------------------------------------------------------

cdef struct Line:                  # unit normal, and the coordinate along it
    double u, v, at

cdef struct Kept:                  # the first, the line through two, or the sides of a triangle, outwards
    int n
    const Mark* first
    Line side[3]


cdef inline Line line_through(const Mark* a, const Mark* b) noexcept nogil:
    """With its normal to the right."""
    cdef double u = b.u - a.u, v = b.v - a.v, length = sqrt(u * u + v * v)
    cdef Line l
    l.u, l.v = v / length, -u / length
    l.at = l.u * a.u + l.v * a.v
    return l


cdef inline double right_of(const Line* l, const Mark* p) noexcept nogil:
    return l.u * p.u + l.v * p.v - l.at


cdef inline Kept shape_of(const Marks* marks, const int* kept, int n) noexcept nogil:
    """Of n marks, 1 to 3."""
    cdef const Mark* a = &marks.at[kept[0]]
    cdef const Mark* b = &marks.at[kept[1]]
    cdef const Mark* c = &marks.at[kept[2]]
    cdef Kept s
    s.n, s.first = n, a
    if n > 1:
        s.side[0] = line_through(a, b)
    if n > 2:
        if right_of(&s.side[0], c) > 0.0:
            b, c = c, b
        s.side[0], s.side[1], s.side[2] = line_through(a, b), line_through(b, c), line_through(c, a)
    return s


cdef inline double away_from(const Kept* s, const Mark* p) noexcept nogil:
    """How far a mark lies from the first, from the line, or outside the triangle, squared [m^2]; 0 within it."""
    cdef double d
    if s.n == 1:
        return (p.u - s.first.u) * (p.u - s.first.u) + (p.v - s.first.v) * (p.v - s.first.v)
    d = right_of(&s.side[0], p)
    if s.n == 3:
        d = max(0.0, max(d, max(right_of(&s.side[1], p), right_of(&s.side[2], p))))
    return d * d


cdef inline int next_down(const Marks* marks, const int* kept, int n, double near, double flat) noexcept nogil:
    """The mark that comes down next as the body turns about n, 1 to 3, that are kept: d / (h + flat) is largest.

    By 0.5 %, so that of equals the first is chosen; d is more than `near`.  -1: there is none.
    """
    cdef Kept s = shape_of(marks, kept, n)
    cdef double level = s.first.gap + 1e-3 * near, away, h, best_away = 0.0, best_h = 1.0
    cdef int k, found = -1
    for k in range(marks.n):
        away = away_from(&s, &marks.at[k])
        if away <= near * near:
            continue
        h = max(marks.at[k].gap - level, 0.0) + flat
        if away * best_h * best_h > 1.01 * best_away * h * h:
            best_away, best_h = away, h
            found = k
    return found


cdef inline int choose_carriers(const Marks* marks, double near, double flat, int* kept) noexcept nogil:
    """At most four: the deepest, and those that come down next."""
    cdef int n = 1, k
    kept[0] = kept[1] = kept[2] = deepest_mark(marks, near)
    while n < 4:
        k = next_down(marks, kept, n, near, flat)
        if k < 0:
            break
        kept[n] = k
        n += 1
    return n


cdef inline int choose_of_hull(const Marks* marks, double near, double margin, int* kept) noexcept nogil:
    """At most four that carry; for what moves far, three more that come down by its motion."""
    cdef double flat = 0.05 * near
    cdef int[4] more
    cdef int n = choose_carriers(marks, near, flat, kept), count, i, k
    if margin <= 10.0 * flat:
        return n
    count = choose_carriers(marks, near, margin, more)
    for i in range(count):
        for k in range(n):
            if kept[k] == more[i]:
                break
        else:
            kept[n] = more[i]
            n += 1
    return n
