"""Flat faces of a convex polyhedron: triangles in one plane joined, the largest first.

The corners that are flush with a face's plane hang together along edges, since the polyhedron is convex: each face is
grown from its largest triangle.
"""

import numpy as np

from libc.math cimport atan2, fabs, sqrt
from libc.stdlib cimport free, malloc, qsort
from libc.string cimport memcpy

from rbdyn.memory cimport grow
from rbdyn.signals cimport Signals, handle_signals, start_signals
from rbdyn.spatial._algebra cimport Vec3, add3, cross3, dot3, scale3, sub3

cdef struct Polyhedron:
    const Vec3* vertex
    const Vec3* normal            # of each triangle, a unit vector; anything of one that has none
    const int* triangle           # (k, 3) corners
    const int* near_start         # (n + 1,) where the neighbours of each vertex begin
    const int* near               # them
    const int* owner_start        # (n + 1,) where the triangles of each vertex begin
    const int* owner              # them
    double tolerance              # corners nearer to a plane are on it [m]

cdef struct Corner:               # of a face
    double angle                  # about the face's middle [rad]
    int number                    # of the vertex

cdef struct Work:
    Corner* ring                  # of the present face, ascending
    int* seen                     # of each vertex: the last face that it is on
    char* taken                   # whether a triangle is in a face


cdef int by_number(const void* a, const void* b) noexcept nogil:
    cdef int x = (<const Corner*> a).number, y = (<const Corner*> b).number
    return (x > y) - (x < y)


cdef int by_angle(const void* a, const void* b) noexcept nogil:
    """Equal angles stay in the order of their numbers."""
    cdef double x = (<const Corner*> a).angle, y = (<const Corner*> b).angle
    return (x > y) - (x < y) if x != y else by_number(a, b)


cdef int grow_face(const Polyhedron* p, Work* w, int k) noexcept nogil:
    """All corners flush with triangle k that hang together with its own along edges, ascending; how many."""
    cdef Vec3 origin = p.vertex[p.triangle[3 * k]], n = p.normal[k]
    cdef int m = 0, done = 0, i, j
    for j in range(3):
        w.ring[m].number = p.triangle[3 * k + j]
        w.seen[w.ring[m].number] = k
        m += 1
    while done < m:
        i = w.ring[done].number
        done += 1
        for j in range(p.near_start[i], p.near_start[i + 1]):
            i = p.near[j]
            if w.seen[i] != k and fabs(dot3(sub3(p.vertex[i], origin), n)) < p.tolerance:
                w.seen[i] = k
                w.ring[m].number = i
                m += 1
    qsort(w.ring, m, sizeof(Corner), by_number)
    return m


cdef void take_triangles(const Polyhedron* p, Work* w, int k, int m) noexcept nogil:
    """Add the triangles whose corners all lie in the face."""
    cdef const int* t
    cdef int i, j
    for i in range(m):
        for j in range(p.owner_start[w.ring[i].number], p.owner_start[w.ring[i].number + 1]):
            t = p.triangle + 3 * p.owner[j]
            if w.seen[t[0]] == k and w.seen[t[1]] == k and w.seen[t[2]] == k:
                w.taken[p.owner[j]] = True


cdef void sort_corners(const Polyhedron* p, Work* w, int k, int m) noexcept nogil:
    """Counter-clockwise about the normal, from -pi about the triangle's first edge."""
    cdef const int* t = p.triangle + 3 * k
    cdef Vec3 u = sub3(p.vertex[t[1]], p.vertex[t[0]]), middle = p.vertex[w.ring[0].number], v, out
    cdef int i
    u = scale3(1.0 / sqrt(dot3(u, u)), u)
    v = cross3(p.normal[k], u)
    for i in range(1, m):
        middle = add3(middle, p.vertex[w.ring[i].number])
    middle = scale3(1.0 / m, middle)
    for i in range(m):
        out = sub3(p.vertex[w.ring[i].number], middle)
        w.ring[i].angle = atan2(dot3(out, v), dot3(out, u))
    qsort(w.ring, m, sizeof(Corner), by_angle)


cdef int grow_all(const Polyhedron* p, Work* w, const int[::1] order, int[::1] kept, int[::1] start,
                  int** corner) except -1 nogil:
    """Grow all faces; how many.  Most triangles of a curved surface are faces of their own."""
    cdef Signals signals = start_signals()
    cdef size_t room = 0
    cdef int n = 0, total = 0, m, i, j, k
    for i in range(order.shape[0]):
        k = order[i]
        if w.taken[k]:
            continue
        m = grow_face(p, w, k)
        if m > 3:
            take_triangles(p, w, k, m)
            sort_corners(p, w, k, m)
        else:
            for j in range(3):
                w.ring[j].number = p.triangle[3 * k + j]
        handle_signals(&signals, m)
        grow(<void**> corner, &room, total + m, sizeof(int))
        for j in range(m):
            corner[0][total + j] = w.ring[j].number
        kept[n], start[n] = k, total
        total += m
        n += 1
    start[n] = total
    return n


cdef void find_owners(const int[:, ::1] triangles, int[::1] start, int[::1] owner) noexcept nogil:
    """Fill in where the triangles of each vertex begin, and them, ascending."""
    cdef int n = start.shape[0] - 1, i, k
    for i in range(triangles.shape[0]):
        for k in range(3):
            start[triangles[i, k]] += 1
    for i in range(1, n + 1):
        start[i] += start[i - 1]
    for i in range(triangles.shape[0] - 1, -1, -1):
        for k in range(3):
            start[triangles[i, k]] -= 1
            owner[start[triangles[i, k]]] = i


def grow_faces(const double[:, ::1] vertices not None, const double[:, ::1] normals not None,
               const int[:, ::1] triangles not None, edges, const int[::1] order not None, taken, double tolerance):
    """The faces: of each the triangle from which it was grown, and where it begins in the corners; the corners.

    `edges` is (start, values) of the neighbours of each vertex, and `taken` says which triangles are in no face.
    """
    cdef Polyhedron p
    cdef Work w
    cdef int[::1] kept = np.empty(len(triangles), np.intc), start = np.empty(len(triangles) + 1, np.intc)
    cdef int[::1] seen = np.full(len(vertices), -1, np.intc), corners
    cdef int[::1] owner_start = np.zeros(len(vertices) + 1, np.intc), owner = np.empty(3 * len(triangles), np.intc)
    cdef const int[::1] near_start = edges[0], near = edges[1]
    cdef char[::1] done = taken.astype(np.int8)
    cdef int* corner = NULL
    cdef int n
    find_owners(triangles, owner_start, owner)
    p.vertex, p.normal, p.triangle = <const Vec3*> &vertices[0, 0], <const Vec3*> &normals[0, 0], &triangles[0, 0]
    p.near_start, p.near = &near_start[0], &near[0]
    p.owner_start, p.owner, p.tolerance = &owner_start[0], &owner[0], tolerance
    w.seen, w.taken = &seen[0], &done[0]
    w.ring = <Corner*> malloc(len(vertices) * sizeof(Corner))
    if w.ring is NULL:
        raise MemoryError(f"no room for {len(vertices)} corners")
    try:
        with nogil:
            n = grow_all(&p, &w, order, kept, start, &corner)
        corners = np.empty(start[n], np.intc)
        if start[n]:
            memcpy(&corners[0], corner, start[n] * sizeof(int))
    finally:
        free(w.ring)
        free(corner)
    return np.asarray(kept[:n]), np.asarray(start[:n + 1]), np.asarray(corners)
