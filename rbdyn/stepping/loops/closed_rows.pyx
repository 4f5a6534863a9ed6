"""Rows of systems with loops, in the coordinates of their closed mechanisms.

The builder writes rows of the opened tree.  Those of a system whose loops are eliminated are multiplied by Q^T of the
loops' decomposition: the first entries load the loops alone, the others are what is free.
"""

from libc.string cimport memcpy, memset

from rbdyn.contact.problem cimport Entry, Entry3
from rbdyn.kernels.cod cimport times_q_transposed
from rbdyn.stepping.loops.forces cimport to_free
from rbdyn.stepping.scene cimport Scene, System
from rbdyn.stepping.written cimport Builder, Taken


cdef double ROUNDING = 1e-10   # of a row's mobility, if loops leave no more of it: geometry in files has five digits


cdef inline void take_out(Builder* b, const System* s, int row, const double* y) noexcept nogil:
    """Keep what loops take of a row: the load on them."""
    cdef int rank = s.work.loops.Y.rank
    b.take[b.n_takes] = Taken(row=row, system=<int> (s - b.scene.system), first=b.n_taken)
    b.n_takes += 1
    memcpy(b.taken + b.n_taken, y, rank * sizeof(double))
    b.n_taken += rank


cdef inline double squared(const double* y, int first, int end) noexcept nogil:
    cdef double s = 0.0
    cdef int i
    for i in range(first, end):
        s += y[i] * y[i]
    return s


cdef void close_entries(Builder* b, System* s, int first, int row) noexcept nogil:
    """Write the entries of a row, from `first` on, that belong to a system in the coordinates of its closed mechanism.

    What is left of the row by rounding alone acts on nothing.
    """
    cdef double* y = s.work.loops.x
    cdef double whole
    cdef int k, z, n = first, nv = s.m.nv, rank = s.work.loops.Y.rank
    memset(y, 0, nv * sizeof(double))
    for k in range(first, b.n_entries):
        z = b.entry[k].coordinate - s.work.coordinate
        if 0 <= z < nv:
            y[z] += b.entry[k].y
        else:
            b.entry[n] = b.entry[k]
            n += 1
    if n == b.n_entries:
        return
    b.n_entries = n
    whole = squared(y, 0, nv)
    times_q_transposed(&s.work.loops.Y, y)
    take_out(b, s, row, y)
    if squared(y, rank, nv) <= ROUNDING * whole:
        return
    to_free(s, y + rank)
    for k in range(rank, nv):
        b.entry[b.n_entries] = Entry(coordinate=s.work.coordinate + k - rank, y=y[k])
        b.n_entries += 1


cdef System* system_of(const Scene* scene, int coordinate) noexcept nogil:
    """The system that a coordinate of the problem belongs to; they follow one another."""
    cdef int low = 0, high = scene.n_system, middle
    while high - low > 1:
        middle = (low + high) // 2
        if scene.system[middle].work.coordinate <= coordinate:
            low = middle
        else:
            high = middle
    return scene.system + low


cdef System* closed_after(const Builder* b, const void* entries, size_t size, int count, int* done) noexcept nogil:
    """The next system with loops, in their order, that some of these entries are of; NULL: there are no more.

    Entries are Entry or Entry3, which begin with their coordinate; coordinates below `done` have had their turn.
    """
    cdef System* s
    cdef int k, z, at
    while True:
        z = b.problem.n_coordinates
        for k in range(count):
            at = (<const int*> (<const char*> entries + k * size))[0]
            if done[0] <= at < z:
                z = at
        if z == b.problem.n_coordinates:
            return NULL
        s = system_of(b.scene, z)
        done[0] = s.work.coordinate + s.m.nv
        if s.work.loops.eliminated and s.work.active:
            return s


cdef void close_last_row(Builder* b) noexcept nogil:
    """Of the row begun last, whose entries are all there: systems with loops answer to it in their order."""
    cdef int done = 0, r = b.n_rows - 1, first = b.entry_start[r]
    cdef System* s = closed_after(b, b.entry + first, sizeof(Entry), b.n_entries - first, &done)
    while s != NULL:
        close_entries(b, s, first, 3 * b.problem.n_cones + r)
        s = closed_after(b, b.entry + first, sizeof(Entry), b.n_entries - first, &done)


cdef void close_entries3(Builder* b, System* s, int first, int row) noexcept nogil:
    """Likewise, the entries of a cone."""
    cdef double* y[3]
    cdef Entry3* e
    cdef double whole = 0.0, left = 0.0
    cdef int k, z, n = first, nv = s.m.nv, rank = s.work.loops.Y.rank
    y[0], y[1], y[2] = s.work.loops.x, s.work.loops.t, s.work.loops.u
    for k in range(3):
        memset(y[k], 0, nv * sizeof(double))
    for k in range(first, b.n_entries3):
        e = b.entry3 + k
        z = e.coordinate - s.work.coordinate
        if 0 <= z < nv:
            y[0][z], y[1][z], y[2][z] = y[0][z] + e.x, y[1][z] + e.y, y[2][z] + e.n
        else:
            b.entry3[n] = e[0]
            n += 1
    if n == b.n_entries3:
        return
    b.n_entries3 = n
    for k in range(3):
        whole += squared(y[k], 0, nv)
        times_q_transposed(&s.work.loops.Y, y[k])
        left += squared(y[k], rank, nv)
        take_out(b, s, row + k, y[k])
    if left <= ROUNDING * whole:
        return
    for k in range(3):
        to_free(s, y[k] + rank)
    for k in range(rank, nv):
        b.entry3[b.n_entries3] = Entry3(coordinate=s.work.coordinate + k - rank, x=y[0][k], y=y[1][k], n=y[2][k])
        b.n_entries3 += 1


cdef void close_last_cone(Builder* b) noexcept nogil:
    """Of the cone begun last, likewise."""
    cdef int done = 0, i = b.n_cones - 1, first = b.entry3_start[i]
    cdef System* s = closed_after(b, b.entry3 + first, sizeof(Entry3), b.n_entries3 - first, &done)
    while s != NULL:
        close_entries3(b, s, first, 3 * i)
        s = closed_after(b, b.entry3 + first, sizeof(Entry3), b.n_entries3 - first, &done)


cdef void load_loops(const Builder* b) noexcept nogil:
    """Once the problem is solved: what its impulses ask of the loops."""
    cdef const Taken* taken
    cdef double* load
    cdef double l
    cdef int k, j
    for k in range(b.n_takes):
        taken = b.take + k
        load = b.scene.system[taken.system].work.loops.load
        l = b.problem.impulse[taken.row]
        if l != 0.0:
            for j in range(b.scene.system[taken.system].work.loops.Y.rank):
                load[j] -= b.taken[taken.first + j] * l
