# The lower convex hull of contacts over a plane: what a flat face can come to rest on.
#
# Contacts stand at (u, v) on a plane, at gaps h.  A small motion of the body adds an affine function of u and v to all
# gaps.  The vertices of the lower convex hull of the points (u, v, h) are the contacts that some such motion closes
# first; all others stay open.  They do not depend on the pose.  A choice by depth does: it drops what carries as soon
# as the body leans elsewhere, and the body rocks.
#
# Where there are many vertices, the hull of some of them stands for it: the one that is farthest off the hull so far is
# added, as in M. Garland, P. Heckbert, Fast polygonal approximation of terrains and height fields (1995), section 4.

from libc.math cimport fabs

from rbdyn.collision.kernels.marks cimport MAX_MARKS, Line, Mark, Marks, line_through, right_of


cdef enum:
    MAX_CORNERS = 12               # of a hull: what is left out then is off it by less than the slop of contacts
    MAX_FACETS = 220               # triangles of so many corners
    MAX_ENDS = 66                  # pairs of so many corners

cdef struct Facet:                 # the plane h = u du + v dv + at
    double du, dv
    double at                      # [m]

cdef struct LowerHull:             # of some marks, and how it goes on beyond them
    int n
    const Mark* corner[MAX_CORNERS]
    int n_facets
    Facet facet[MAX_FACETS]
    int n_ends
    Line end[MAX_ENDS]             # sides of the area below it, to the right: outwards


cdef inline double height_on(const Facet* f, const Mark* p) noexcept nogil:
    """Height [m] of a facet's plane at a mark."""
    return f.du * p.u + f.dv * p.v + f.at


cdef inline bint facet_through(const Mark* a, const Mark* b, const Mark* c, double near, Facet* f) noexcept nogil:
    """Set the plane through three marks; False if they stand on a line, or nearly so."""
    cdef double bu = b.u - a.u, bv = b.v - a.v, cu = c.u - a.u, cv = c.v - a.v
    cdef double area = bu * cv - bv * cu, long_ = max(fabs(bu) + fabs(bv), fabs(cu) + fabs(cv))
    if fabs(area) <= near * long_:
        return False
    f.du = ((b.gap - a.gap) * cv - (c.gap - a.gap) * bv) / area
    f.dv = ((c.gap - a.gap) * bu - (b.gap - a.gap) * cu) / area
    f.at = a.gap - f.du * a.u - f.dv * a.v
    return True


cdef inline void facet_along(const Mark* a, const Mark* b, Facet* f) noexcept nogil:
    """Set the plane through two marks that is level across the line through them."""
    cdef double u = b.u - a.u, v = b.v - a.v, slope = (b.gap - a.gap) / (u * u + v * v)
    f.du, f.dv = slope * u, slope * v
    f.at = a.gap - f.du * a.u - f.dv * a.v


cdef inline void add_facet(LowerHull* hull, const Facet* f, double same) noexcept nogil:
    """Add a plane if no corner lies below it."""
    cdef int k
    for k in range(hull.n):
        if hull.corner[k].gap < height_on(f, hull.corner[k]) - same:
            return
    hull.facet[hull.n_facets] = f[0]
    hull.n_facets += 1


cdef inline void add_end(LowerHull* hull, const Mark* a, const Mark* b, double same) noexcept nogil:
    """Add a side if no corner lies beyond it."""
    cdef Line l = line_through(a, b)
    cdef double low = 0.0, high = 0.0, d
    cdef int k
    for k in range(hull.n):
        d = right_of(&l, hull.corner[k])
        low, high = min(low, d), max(high, d)
    if high > same and low < -same:
        return
    if high > same:
        l.u, l.v, l.at = -l.u, -l.v, -l.at
    hull.end[hull.n_ends] = l
    hull.n_ends += 1


cdef inline void set_hull(LowerHull* hull, const Marks* marks, const int* kept, int n, double near) noexcept nogil:
    """Set the hull of n marks, 2 to MAX_CORNERS; if all stand on one line, what is over that."""
    cdef double same = 1e-6 * near
    cdef Facet f
    cdef int i, j, k
    hull.n, hull.n_facets, hull.n_ends = n, 0, 0
    for k in range(n):
        hull.corner[k] = &marks.at[kept[k]]
    for i in range(n):
        for j in range(i):
            add_end(hull, hull.corner[i], hull.corner[j], same)
            for k in range(j):
                if facet_through(hull.corner[i], hull.corner[j], hull.corner[k], near, &f):
                    add_facet(hull, &f, same)
    if hull.n_facets > 0:
        return
    for i in range(n):
        for j in range(i):
            facet_along(hull.corner[i], hull.corner[j], &f)
            add_facet(hull, &f, same)


cdef inline double below(const LowerHull* hull, const Mark* p) noexcept nogil:
    """Distance [m] of a mark below the highest of the facets' planes: below the hull, or below what goes on from it."""
    cdef double height = -1e300
    cdef int k
    for k in range(hull.n_facets):
        height = max(height, height_on(&hull.facet[k], p))
    return height - p.gap


cdef inline bint is_outside(const LowerHull* hull, const Mark* p, double near) noexcept nogil:
    """Test whether a mark stands beside the hull by more than `near` [m]."""
    cdef int k
    for k in range(hull.n_ends):
        if right_of(&hull.end[k], p) > near:
            return True
    return False


cdef inline int complete_hull(const Marks* marks, double near, double reach, int* kept, int n) noexcept nogil:
    """Add marks to n that are kept until their hull is nearly that of all, or has MAX_CORNERS; how many are kept.

    Marks in one plane with the hull are left out, also those beside it.  `near` [m] is no distance; what is higher than
    the lowest mark by less than `reach` [m] may carry.  Of high marks errors count less, as in a projection that takes
    heights h to h / (h + reach).
    """
    cdef LowerHull hull
    cdef int[MAX_MARKS] left       # marks that may be corners
    cdef int i, k, m, found, n_left = marks.n
    cdef double same = 1e-3 * near, lowest = 1e300, off, h, error, most
    if n < 2:
        return n
    for k in range(n_left):
        left[k] = k
        lowest = min(lowest, marks.at[k].gap)
    while n < MAX_CORNERS:
        set_hull(&hull, marks, kept, n, near)
        most, found, m = 0.0, -1, 0
        for i in range(n_left):
            k = left[i]
            off = below(&hull, &marks.at[k])
            if off <= same and not is_outside(&hull, &marks.at[k], near):
                continue           # for good: the hull of more corners is lower
            left[m] = k
            m += 1
            h = marks.at[k].gap - lowest + reach
            error = fabs(off) / (h * h)
            if fabs(off) > same and error > most:
                most, found = error, k
        if found < 0:
            break
        n_left = m
        kept[n] = found
        n += 1
    return n
