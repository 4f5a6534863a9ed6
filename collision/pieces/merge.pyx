"""Contacts of many triangles, made few: merge.pxd.

Triangles that lie nearly in one plane hold a shape up together.  Of all their contacts those are kept on which it can
come to rest: four of what is flat, as of any two faces that meet, and up to MAX_CORNERS of what is rough.  What has
another normal stays apart.
"""

from rbdyn.collision._types cimport ContactBuffer, ContactPoint
from rbdyn.collision.kernels.lower_hull cimport MAX_CORNERS, complete_hull
from rbdyn.collision.kernels.marks cimport MAX_MARKS, Mark, Marks, choose
from rbdyn.collision.kernels.vectors cimport perpendicular
from rbdyn.spatial._algebra cimport Vec3, cross3, dot3, sub3

cdef double ONE_PLANE = 0.9986     # cosine between normals of what lies nearly in one plane: 3 degrees
cdef double REACH = 0.1            # share of the margin: gaps that may carry, as the slop of a World is of its margin


cdef int mixed_feature(int feature, int piece) noexcept nogil:
    """One for each feature of each piece, or nearly so: 31 bits of both."""
    cdef unsigned int h = <unsigned int> feature * 2654435761u ^ <unsigned int> piece * 2246822519u
    h ^= h >> 15
    h *= 3266489917u
    return <int> ((h ^ h >> 16) & 0x7fffffffu)


cdef inline void swap(ContactBuffer* out, int i, int j) noexcept nogil:
    cdef ContactPoint c
    if i != j:
        c = out.point[i]
        out.point[i], out.point[j] = out.point[j], c


cdef int bring_deepest(ContactBuffer* out, int first) noexcept nogil:
    """Put the deepest contact first, and those nearly in its plane after it; where they end."""
    cdef int i, end = first + 1, best = first
    for i in range(first + 1, out.n):
        if out.point[i].depth > out.point[best].depth:
            best = i
    swap(out, first, best)
    for i in range(first + 1, out.n):
        if dot3(out.point[i].normal, out.point[first].normal) > ONE_PLANE:
            swap(out, end, i)
            end += 1
    return end


cdef void put_outermost_first(Marks* marks, double near) noexcept nogil:
    """Of those that are as deep as any, the one farthest from the middle of all: corners of triangles lie between."""
    cdef double u = 0.0, v = 0.0, lowest = 1e300, away, best = -1.0
    cdef int k, first = 0
    cdef Mark m
    for k in range(marks.n):
        u, v = u + marks.at[k].u / marks.n, v + marks.at[k].v / marks.n
        lowest = min(lowest, marks.at[k].gap)
    for k in range(marks.n):
        away = (marks.at[k].u - u) * (marks.at[k].u - u) + (marks.at[k].v - v) * (marks.at[k].v - v)
        if marks.at[k].gap <= lowest + 1e-3 * near and away > best * (1.0 + 1e-6):
            best, first = away, k
    m = marks.at[0]
    marks.at[0], marks.at[first] = marks.at[first], m


cdef int choose_supports(Marks* marks, double near, double reach, int* kept) noexcept nogil:
    """Choose one of the deepest, the farthest from it, the extremes on both sides, and corners of the lower hull."""
    put_outermost_first(marks, near)
    return complete_hull(marks, near, reach, kept, choose(marks, near, kept))


cdef int choose_among(ContactBuffer* out, int first, int end, double near, double reach, int* kept) noexcept nogil:
    """Of the contacts from `first` to `end`, those that are kept; how many."""
    cdef Marks marks
    cdef int[MAX_CORNERS] few
    cdef Vec3 n = out.point[first].normal
    cdef Vec3 u = perpendicular(n)
    cdef Vec3 v = cross3(n, u)
    cdef int i, k, count
    marks.n = 0
    for i in range(first, end):
        if marks.n == MAX_MARKS:                 # go on with the best of so many
            count = choose_supports(&marks, near, reach, few)
            for k in range(count):
                kept[k] = marks.at[few[k]].name
            marks.n = 0
            for k in range(count):
                set_mark(&marks, out, kept[k], first, u, v)
        set_mark(&marks, out, i, first, u, v)
    count = choose_supports(&marks, near, reach, few)
    for k in range(count):
        kept[k] = marks.at[few[k]].name
    return count


cdef inline void set_mark(Marks* marks, const ContactBuffer* out, int i, int first, Vec3 u, Vec3 v) noexcept nogil:
    cdef Vec3 d = sub3(out.point[i].position, out.point[first].position)
    cdef Mark* m = &marks.at[marks.n]
    m.u, m.v, m.low, m.gap, m.name = dot3(d, u), dot3(d, v), 0.0, -out.point[i].depth, i
    marks.n += 1


cdef int keep(ContactBuffer* out, int first, int end, const int* kept, int count) noexcept nogil:
    """Drop the contacts from `first` to `end` but those; where the first that was not looked at is now."""
    cdef int i, j, k, n = first
    for i in range(first, end):                  # in their order
        for k in range(count):
            if kept[k] == i:
                out.point[n] = out.point[i]
                n += 1
                break
    j = n
    for i in range(end, out.n):
        out.point[j] = out.point[i]
        j += 1
    out.n = j
    return n


cdef void part_features(ContactBuffer* out, int first) noexcept nogil:
    """No two of the contacts from `first` on may have one feature."""
    cdef int i, j = first
    for i in range(first + 1, out.n):
        j = first
        while j < i:
            if out.point[j].feature == out.point[i].feature:
                out.point[i].feature = mixed_feature(out.point[i].feature, i - first)
                j = first
            else:
                j += 1


cdef void merge_contacts(ContactBuffer* out, int first, double near, double margin) noexcept nogil:
    """Keep the contacts from `first` on that may carry, those in nearly one plane together.

    `near` [m] is no distance; contacts were looked for up to the gap `margin` [m].
    """
    cdef int begin = first, end, count
    cdef int[MAX_CORNERS] kept
    while begin < out.n:
        end = bring_deepest(out, begin)
        count = choose_among(out, begin, end, near, REACH * margin + 1e-3 * near, kept)
        begin = keep(out, begin, end, kept, count)
    part_features(out, first)
