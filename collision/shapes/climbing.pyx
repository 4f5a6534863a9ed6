"""Farthest corners of convex polyhedra, and faces that look along a direction: climbing.pxd."""

import numpy as np

from libc.math cimport acos, ceil, cos, fabs, fmax, fmin, sqrt
from libc.stdint cimport uint64_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

from rbdyn.collision.shapes.convex_hull cimport Near
from rbdyn.memory cimport grow
from rbdyn.spatial._algebra cimport Vec3, dot3, neg3, scale3, vec3

cdef enum:
    CLIMBED = 64                   # corners from which on a climb is faster than a scan: 45 ns against 0.8 ns a corner
    DENSE = 8                      # corners of a hull for each that is listed: a list of more costs as much as a scan
    WORDS = 256                    # of 64 corners each: of larger hulls all corners are looked at
    COARSE = 4                     # cells along a side of a table of faces, which is halved until it has a cell a face,
    MOST_SIDE = 16                 # or so many: a list of 100 for 16,000 faces
    FEW_LISTED = 900               # faces of one cell: NEARLY less than NEARLY / TIED


cdef extern from *:
    """
    #ifdef _MSC_VER
    #include <intrin.h>
    static int lowest_bit(unsigned long long x) { unsigned long k; _BitScanForward64(&k, x); return (int)k; }
    #else
    static int lowest_bit(unsigned long long x) { return __builtin_ctzll(x); }
    #endif
    """
    int lowest_bit(uint64_t x) noexcept nogil


cdef double PI = 3.141592653589793
cdef double NEARLY = 1e-6          # cosine by which faces of a list may look less along a direction than the best


cdef Vec3 direction_of(int side, int cell, double u, double w) noexcept nogil:
    """Direction to a place of a cell, u and w from 0 to 1 across it."""
    cdef int face = cell // (side * side)
    cdef double sign = -1.0 if face & 1 else 1.0
    u, w = 2.0 * (cell // side % side + u) / side - 1.0, 2.0 * (cell % side + w) / side - 1.0
    if face < 2:
        return vec3(sign, u, w)
    return vec3(w, sign, u) if face < 4 else vec3(u, w, sign)


cdef inline double height_at(const Near* c, Vec3 l) noexcept nogil:
    """`height_of` a corner of a block."""
    return c.x * l.x + c.y * l.y + c.z * l.z


cdef const Near* climb(const HullData* hull, Vec3 l, int at, double* second) noexcept nogil:
    """Go from corner to highest neighbour until none is higher, and return its block.

    It begins with the block at `at`; `second` is the height of the highest neighbour of the last.
    """
    cdef const Near* here = hull.around + at
    cdef const Near* c
    cdef double best = height_at(here, l), value
    cdef int to
    while True:
        to, second[0] = -1, -1e300
        for c in (here + 1)[:here.at]:
            value = height_at(c, l)
            if value > best:
                second[0], best, to = best, value, c.at
            elif value > second[0]:
                second[0] = value
        if to < 0:
            return here
        here = hull.around + to


cdef int corners_above(const HullData* hull, Vec3 l, int top, double least, int* found, int most) noexcept nogil:
    """List the corners whose height along l is `least` or more, and that hang together with `top`, in no order.

    Their number; -1 if there are more than `most`, which is up to MOST_CORNERS, or the hull is too large.
    """
    cdef uint64_t[WORDS] seen
    cdef int[MOST_CORNERS] block
    cdef const Near* here
    cdef const Near* c
    cdef int i = 0, k, n = 1
    if hull.n_vertices > 64 * WORDS:
        return -1
    memset(seen, 0, ((hull.n_vertices + 63) >> 6) * sizeof(uint64_t))
    found[0], block[0] = top, hull.block[top]
    seen[top >> 6] |= <uint64_t> 1 << (top & 63)
    while i < n:
        here = hull.around + block[i]
        for c in (here + 1)[:here.at]:
            k = c.corner
            if seen[k >> 6] >> (k & 63) & 1:
                continue
            seen[k >> 6] |= <uint64_t> 1 << (k & 63)
            if height_at(c, l) >= least:
                if n == most:
                    return -1
                found[n], block[n] = k, c.at
                n += 1
        i += 1
    return n


cdef int farthest_corner(const HullData* hull, Vec3 l) noexcept nogil:
    """Find the corner farthest along l; ties go to the first, and it is the first where l is no direction."""
    cdef int[MOST_CORNERS] found
    cdef const Near* highest
    cdef double size = fabs(l.x) + fabs(l.y) + fabs(l.z), level = size * hull.level, second, value, best
    cdef int top, k, n
    if hull.side == 0 or not (1e-290 < size < 1e250 and level > 1e-300):         # heights would under- or overflow
        return scan_corners(hull, l)
    highest = climb(hull, l, hull.entry[cell_of(hull.side, l)], &second)
    top, best = highest.corner, height_at(highest, l)
    if second < best - level:
        return top
    n = corners_above(hull, l, top, best - level, found, MOST_CORNERS)
    if n < 0:
        return scan_corners(hull, l)
    for k in range(1, n):
        value = height_of(hull, found[k], l)
        if value > best or (value == best and found[k] < top):
            best, top = value, found[k]
    return top


cdef void sort_numbers(int* x, int n, int most) noexcept nogil:
    """Sort different numbers below `most`, up to 64 WORDS, ascending: as the bits of a set."""
    cdef uint64_t[WORDS] bits
    cdef uint64_t word
    cdef int i, words = (most + 63) >> 6
    memset(bits, 0, words * sizeof(uint64_t))
    for i in range(n):
        bits[x[i] >> 6] |= <uint64_t> 1 << (x[i] & 63)
    n = 0
    for i in range(words):
        word = bits[i]
        while word:
            x[n] = 64 * i + lowest_bit(word)
            n += 1
            word &= word - 1


cdef int corners_below(const HullData* hull, Vec3 l, int lowest, double start, double margin,
                       int* found) noexcept nogil:
    """List the corners for which start + height along l is below the margin, and maybe some more, ascending.

    Their number; -1 if all corners are to be looked at.  `lowest` is the farthest corner along -l.
    """
    cdef double most = margin - start + 1e-15 * (fabs(margin) + fabs(start))     # for rounding
    cdef int n
    if hull.side == 0 or not most < 1e250:
        return -1
    most += (fabs(l.x) + fabs(l.y) + fabs(l.z)) * hull.level
    n = corners_above(hull, neg3(l), lowest, -most, found, min(hull.n_vertices // DENSE, <int> MOST_CORNERS))
    sort_numbers(found, n, hull.n_vertices)
    return n


# ---- for tests -------------------------------------------------------------------------------

def ask_hull(bytes packed not None, const double[:, ::1] directions not None, bint scanned):
    """Corner and face of a hull along directions.

    Parameters
    ----------
    packed : bytes
        HullData, from `ShapeData.packed`.
    directions : (n, 3) ndarray of float
        Unit vectors for faces, of any length for corners.
    scanned : bool
        True: ask all corners and faces.

    Returns
    -------
    answers : (n, 2) ndarray of int32
        Numbers of the farthest corner and of the face.
    """
    cdef HullData hull = (<const HullData*> <const char*> packed)[0]
    cdef int[:, ::1] answers = np.empty((len(directions), 2), np.intc)
    cdef Vec3 l
    cdef int k
    if scanned:
        hull.side = hull.face_side = 0
    for k in range(directions.shape[0]):
        l = vec3(directions[k, 0], directions[k, 1], directions[k, 2])
        answers[k, 0], answers[k, 1] = farthest_corner(&hull, l), facing_face(&hull, l)
    return np.asarray(answers)


def list_below(bytes packed not None, const double[::1] direction not None, double start, double margin):
    """Corners of a hull that are listed for being below a margin, (n,) ndarray of int32; None if all are looked at."""
    cdef const HullData* hull = <const HullData*> <const char*> packed
    cdef Vec3 l = vec3(direction[0], direction[1], direction[2])
    cdef int[MOST_CORNERS] found
    cdef int n = corners_below(hull, l, farthest_corner(hull, neg3(l)), start, margin, found), k
    return None if n < 0 else np.array([found[k] for k in range(n)], np.intc)


# ---- what hulls are told ---------------------------------------------------------------------

def edges_of(const int[:, ::1] triangles not None, int n):
    """Neighbours of each of n corners along the edges of triangles.

    Returns
    -------
    start : (n + 1,) ndarray of int32
        Where those of each corner begin in `near`.
    near : (start[n],) ndarray of int32
        The neighbours, ascending.
    """
    cdef int[::1] count = np.zeros(n + 1, np.intc), start = np.zeros(n + 1, np.intc)
    cdef int[::1] any_order = np.empty(6 * len(triangles), np.intc), near = np.empty(6 * len(triangles), np.intc)
    cdef int t, k, i, j, at, total = 0
    for t in range(triangles.shape[0]):
        for k in range(3):
            count[triangles[t, k] + 1] += 2
    for i in range(n):
        count[i + 1] += count[i]
    start[:] = count
    for t in range(triangles.shape[0]):
        for k in range(3):
            i = triangles[t, k]
            any_order[start[i]], any_order[start[i] + 1] = triangles[t, (k + 1) % 3], triangles[t, (k + 2) % 3]
            start[i] += 2
    start[:] = count
    for i in range(n):                           # i comes to its neighbours in ascending order
        for k in range(count[i], count[i + 1]):
            near[start[any_order[k]]] = i
            start[any_order[k]] += 1
    start[0] = 0
    for i in range(n):                           # each is there from two triangles
        at = total
        for k in range(count[i], count[i + 1]):
            j = near[k]
            if total == at or near[total - 1] != j:
                near[total] = j
                total += 1
        start[i + 1] = total
    return np.asarray(start), np.asarray(near[:total]).copy()


def blocks_of(const double[:, ::1] vertices not None, const int[::1] start not None, const int[::1] near not None):
    """Corners with their neighbours, each in one place of memory.

    Parameters
    ----------
    vertices : (n, 3) ndarray of float
        Corners of a convex polyhedron [m].
    start, near : ndarray of int32
        Of `edges_of`.

    Returns
    -------
    block : (n,) ndarray of int32
        Where the block of each corner begins in `around`.
    around : (n + start[n], 4) ndarray of float
        Near of convex_hull.pxd: coordinates [m], and the bytes of two int32.
    """
    cdef int n = len(vertices), i, j, k, at
    cdef int[::1] block = np.empty(n, np.intc)
    cdef double[:, ::1] around = np.zeros((n + len(near), 4))
    cdef Near* c
    for i in range(n):
        block[i] = start[i] + i
    for i in range(n):
        for j in range(start[i] - 1, start[i + 1]):
            k = i if j < start[i] else near[j]
            at = start[i + 1] - start[i] if j < start[i] else block[k]
            c = <Near*> &around[j + 1 + i, 0]
            c.x, c.y, c.z, c.corner, c.at = vertices[k, 0], vertices[k, 1], vertices[k, 2], k, at
    return np.asarray(block), np.asarray(around)


def climbing_table(const int[::1] block not None, const double[:, ::1] around not None):
    """Corners from which to climb along a direction, one a cell, about as many as there are corners.

    Parameters
    ----------
    block, around : ndarray
        Of `blocks_of`.

    Returns
    -------
    entry : (6 side side,) ndarray of int32
        Their blocks; empty where a scan of all corners is faster, and where a corner has no edges.
    """
    cdef HullData hull
    cdef int n = len(block), side, cell, at = 0
    cdef double second
    cdef int[::1] entry
    if n < CLIMBED or np.diff(block, append=len(around)).min() == 1:
        return np.empty(0, np.intc)
    side = <int> ceil(sqrt(n / 6.0))
    entry = np.empty(6 * side * side, np.intc)
    hull.around = <const Near*> &around[0, 0]
    for cell in range(6 * side * side):
        at = <int> (climb(&hull, direction_of(side, cell, 0.5, 0.5), at, &second) - hull.around)
        entry[cell] = at
    return np.asarray(entry)


cdef struct Facing:                # faces by cells, those of each in ascending order
    int side, most                 # `most`: faces of one cell
    int* start                     # (6 side side + 1,)
    int* face
    size_t room


cdef void free_table(Facing* t) noexcept nogil:
    free(t.start)
    free(t.face)


cdef double least_cosine(const Vec3* normal, const int* listed, int n, int side, int cell, Vec3 middle) noexcept nogil:
    """Cosine to the middle of a cell that no face has less of that looks most, or NEARLY, along any of its directions.

    Angles obey the triangle inequality: with the best face at an angle a from the middle, and no direction of the cell
    more than r from it, no face beyond a + 2 r is the best of one.
    """
    cdef double best = -1.0, narrow = 1.0, value, radius, angle
    cdef Vec3 corner
    cdef int k
    for k in range(n):
        value = dot3(normal[k if listed is NULL else listed[k]], middle)
        if value > best:
            best = value
    for k in range(4):
        corner = direction_of(side, cell, k & 1, k >> 1)
        narrow = fmin(narrow, dot3(corner, middle) / sqrt(dot3(corner, corner)))
    radius = acos(narrow) + 1e-9                 # for rounding, here and of what `cell_of` says
    angle = fmin(acos(fmin(1.0, best)) + radius, PI)
    angle = acos(fmax(-1.0, cos(angle) - NEARLY)) + radius
    return cos(angle) - 1e-12 if angle < PI else -2.0


cdef int list_faces(const Vec3* normal, int n_faces, int side, const Facing* coarse, Facing* t) except -1 nogil:
    """Make a table, from all faces or from those of a coarser one, whose cells are made of its cells."""
    cdef size_t no_room = 0
    cdef const int* listed = NULL
    cdef int cell, i, k, n = n_faces, total = 0
    cdef double least
    cdef Vec3 middle
    grow(<void**> &t.start, &no_room, 6 * side * side + 1, sizeof(int))
    t.side, t.start[0] = side, 0
    for cell in range(6 * side * side):
        middle = direction_of(side, cell, 0.5, 0.5)
        middle = scale3(1.0 / sqrt(dot3(middle, middle)), middle)
        if coarse is not NULL:
            k = cell_of(coarse.side, middle)
            listed, n = coarse.face + coarse.start[k], coarse.start[k + 1] - coarse.start[k]
        least = least_cosine(normal, listed, n, side, cell, middle)
        grow(<void**> &t.face, &t.room, total + n, sizeof(int))
        for i in range(n):
            k = i if listed is NULL else listed[i]
            t.face[total] = k                    # kept if it is counted
            total += dot3(normal[k], middle) >= least
        t.start[cell + 1] = total
        t.most = max(t.most, total - t.start[cell])
    return 0


def facing_table(const double[:, ::1] normals not None):
    """Faces that may look most along a direction, by cells, so that `facing_face` need not ask all of them.

    It takes a face for another one if it looks more along a direction by TIED = 1e-9, in the order of their numbers.
    Faces that are not listed look less by NEARLY: they could change its answer only by a chain of NEARLY / TIED faces.

    Parameters
    ----------
    normals : (n, 3) ndarray of float
        Unit normals.

    Returns
    -------
    start : (6 side side + 1,) ndarray of int32
        Where the faces of each cell begin in `facing`.
    facing : (start[-1],) ndarray of int32
        Face numbers, ascending.  Both are empty where a scan of all faces is faster, or a list too long.
    """
    cdef Facing table, finer
    cdef const Vec3* normal = <const Vec3*> &normals[0, 0]
    cdef int n = len(normals), n_cells = 6 * COARSE * COARSE
    cdef int[::1] start = np.empty(0, np.intc), faces = np.empty(0, np.intc)
    memset(&table, 0, sizeof(Facing))
    memset(&finer, 0, sizeof(Facing))
    if n < CLIMBED:
        return np.asarray(start), np.asarray(faces)
    try:
        list_faces(normal, n, COARSE, NULL, &table)
        while n_cells < n and table.side < MOST_SIDE:
            list_faces(normal, n, 2 * table.side, &table, &finer)
            free_table(&table)
            table = finer
            memset(&finer, 0, sizeof(Facing))
            n_cells = 6 * table.side * table.side
        if table.most <= FEW_LISTED:
            start, faces = np.empty(n_cells + 1, np.intc), np.empty(table.start[n_cells], np.intc)
            memcpy(&start[0], table.start, (n_cells + 1) * sizeof(int))
            memcpy(&faces[0], table.face, table.start[n_cells] * sizeof(int))
    finally:
        free_table(&table)
        free_table(&finer)
    return np.asarray(start), np.asarray(faces)
