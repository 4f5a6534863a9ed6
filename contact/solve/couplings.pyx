"""Coupled joints of an island, taken out: couplings.pxd."""

from libc.stdlib cimport free
from libc.string cimport memset

from rbdyn.contact.problem cimport BILATERAL
from rbdyn.contact.solve.factor cimport factor_mass, solve_mass
from rbdyn.contact.solve.velocity_space cimport Piece, add_value, write_entries
from rbdyn.memory cimport grow


cdef void release_couplings(Couplings* C) noexcept nogil:
    """Give all memory back."""
    free(C.coupling)
    free(C.cut)
    free(C.kept)
    free(C.number)
    free(C.path)
    free(C.factor)
    free(C.offset)
    free(C.bias)
    free(C.u)
    free(C.p)
    memset(C, 0, sizeof(Couplings))


cdef int make_room(Couplings* C, int unknowns, int pieces, int entries) except -1 nogil:
    """Make room for what an island of so many may need."""
    C.reallocations += grow(<void**> &C.coupling, &C.capacity[0], pieces, sizeof(Coupling))
    C.reallocations += grow(<void**> &C.cut, &C.capacity[1], entries, sizeof(Cut))
    C.reallocations += grow(<void**> &C.kept, &C.capacity[2], unknowns, sizeof(int))
    C.reallocations += grow(<void**> &C.number, &C.capacity[3], unknowns, sizeof(int))
    C.reallocations += grow(<void**> &C.path, &C.capacity[9], unknowns, sizeof(int))
    C.reallocations += grow(<void**> &C.factor, &C.capacity[4], unknowns, sizeof(double))
    C.reallocations += grow(<void**> &C.offset, &C.capacity[5], unknowns, sizeof(double))
    C.reallocations += grow(<void**> &C.bias, &C.capacity[6], unknowns, sizeof(double))
    C.reallocations += grow(<void**> &C.u, &C.capacity[7], unknowns, sizeof(double))
    C.reallocations += grow(<void**> &C.p, &C.capacity[8], unknowns, sizeof(double))
    return 0


cdef inline bint couples(const VelocitySpace* V, const Piece* k) noexcept nogil:
    """Tell whether a piece is a hard row of two joint velocities."""
    cdef const double* J = V.J + k.entry
    return (k.law == BILATERAL and k.compliance == 0.0 and k.mobility > 0.0 and k.columns == 2
            and V.column[k.column] >= 6 * V.bodies and J[0] != 0.0 and J[1] != 0.0)


cdef void find_couplings(Couplings* C, const VelocitySpace* V) noexcept nogil:
    """Find the couplings; kept, factor and offset say which unknown each unknown follows, and how."""
    cdef const Piece* k
    cdef Coupling* c
    cdef int i, j, a, b
    C.count = 0
    memset(C.number, 0, V.unknowns * sizeof(int))
    for i in range(V.pieces):
        k = V.piece + i
        for j in range(2 if couples(V, k) else 0):
            C.number[V.column[k.column + j]] += 1
    for i in range(V.unknowns):
        C.kept[i], C.factor[i], C.offset[i] = i, 1.0, 0.0
    for i in range(V.pieces):
        k = V.piece + i
        if not couples(V, k):
            continue
        j = 0 if C.number[V.column[k.column]] == 1 else 1
        a, b = V.column[k.column + j], V.column[k.column + 1 - j]
        if C.number[a] == 1:
            c = C.coupling + C.count
            c.row, c.follower, c.entry = k.row, a, V.J[k.entry + j]
            C.kept[a], C.factor[a], C.offset[a] = b, -V.J[k.entry + 1 - j] / c.entry, -V.c[k.row] / c.entry
            C.count += 1


cdef void number_kept(Couplings* C, VelocitySpace* V) noexcept nogil:
    """Number the unknowns that stay, in their order, and begin their envelope anew: rows and M widen it."""
    cdef int i, n = 0
    for i in range(V.unknowns):
        if C.kept[i] == i:
            C.number[i] = n
            n += 1
    for i in range(C.count):
        C.number[C.coupling[i].follower] = -1 - i
    for i in range(V.unknowns):
        C.kept[i] = C.number[C.kept[i]]
    for i in range(n):
        V.first[i] = i
    C.unknowns, V.unknowns = V.unknowns, n


cdef void rewrite_pieces(Couplings* C, VelocitySpace* V) noexcept nogil:
    """Write J F and c + J o of all pieces; a coupling keeps no column."""
    cdef Piece* k
    cdef double entry
    cdef int i, j, r, u, n = 0
    C.cuts = 0
    for i in range(V.pieces):
        k = V.piece + i
        if n < C.count and C.coupling[n].row == k.row:
            V.c[k.row] = 0.0
            n += 1
            k.columns = 0
        for j in range(k.columns):
            u = V.column[k.column + j]
            for r in range(k.rows):
                entry = V.J[k.entry + r * k.columns + j]
                add_value(V, C.kept[u], r, C.factor[u] * entry)
                V.c[k.row + r] += C.offset[u] * entry
                if C.number[u] < 0:
                    C.cut[C.cuts] = Cut(coupling=-1 - C.number[u], row=k.row + r, entry=entry)
                    C.cuts += 1
        write_entries(V, k)


cdef void widen(const Couplings* C, VelocitySpace* V) noexcept nogil:
    """Let the envelope hold M, where unknowns of one branch of a robot meet."""
    cdef int u, a, i, j
    for u in range(6 * V.bodies, C.unknowns):
        a = V.above[u]
        while a >= 0:
            i, j = C.kept[u], C.kept[a]
            V.first[max(i, j)] = min(V.first[max(i, j)], min(i, j))
            a = V.above[a]


cdef int take_out_followers(Couplings* C, VelocitySpace* V) except -1 nogil:
    """Let V have one unknown less for each follower, whose row then asks for nothing."""
    C.count = 0
    if V.unit:                                         # its unknowns are no velocities of joints
        return 0
    make_room(C, V.unknowns, V.pieces, V.entries)
    find_couplings(C, V)
    if C.count > 0:
        number_kept(C, V)
        rewrite_pieces(C, V)
        widen(C, V)
    return 0


cdef int take_path(const Couplings* C, const VelocitySpace* V, int k, double* offset) noexcept nogil:
    """Write row k of B F: entries in u, their unknowns in path; offset is row k of B o.  Returns how many there are."""
    cdef const double* B = V.root[k]
    cdef int a = k, n = 0, j
    offset[0] = 0.0
    while a >= 0:
        offset[0] += B[0] * C.offset[a]
        j = 0
        while j < n and C.path[j] != C.kept[a]:
            j += 1
        if j == n:
            C.path[n], C.u[n] = C.kept[a], 0.0
            n += 1
        C.u[j] += B[0] * C.factor[a]
        B, a = B + 1, V.above[a]
    return n


cdef void add_squares(const Couplings* C, const VelocitySpace* V, Envelope* E) noexcept nogil:
    """Add (B F)^T B F to the upper triangle; the bias is (B F)^T B o."""
    cdef double offset
    cdef int k, i, j, a, b, n
    memset(C.bias, 0, E.n * sizeof(double))
    for k in range(6 * V.bodies, C.unknowns):
        n = take_path(C, V, k, &offset)
        for i in range(n):
            a = C.path[i]
            C.bias[a] += C.u[i] * offset
            for j in range(i + 1):
                b = max(a, C.path[j])
                E.mass[E.start[b] + min(a, C.path[j]) - E.first[b]] += C.u[i] * C.u[j]


cdef inline bint any_leads(const Couplings* C, const VelocitySpace* V, const Piece* k) noexcept nogil:
    """Tell whether a piece moves a leader, which carries its followers."""
    cdef int i
    for i in range(k.column, k.column + k.columns):
        if C.p[V.column[i]] > 0.0:
            return True
    return False


cdef void find_mobilities(Couplings* C, VelocitySpace* V, const Envelope* E) noexcept nogil:
    """Find the mobilities of all that moves leaders, with the followers that these carry."""
    cdef Piece* k
    cdef const double* J
    cdef double total
    cdef int i, j, r, u
    for i in range(E.n):
        C.p[i] = 0.0
    for i in range(C.count):
        u = C.kept[C.coupling[i].follower]
        if C.p[u] == 0.0:
            memset(C.u, 0, E.n * sizeof(double))
            C.u[u] = 1.0
            solve_mass(E, C.u)
            C.p[u] = C.u[u]
    for i in range(V.pieces):
        k = V.piece + i
        if k.mobility == 0.0 or not any_leads(C, V, k):
            continue
        total = 0.0
        for r in range(k.rows):
            J = V.J + k.entry + r * k.columns
            if k.columns == 1:
                total += J[0] * J[0] * C.p[V.column[k.column]]
                continue
            memset(C.u, 0, E.n * sizeof(double))
            for j in range(k.columns):
                C.u[V.column[k.column + j]] = J[j]
            solve_mass(E, C.u)
            for j in range(k.columns):
                total += C.u[V.column[k.column + j]] * J[j]
        k.mobility = total / k.rows + k.compliance


cdef bint write_coupled_mass(Couplings* C, VelocitySpace* V, Envelope* E) noexcept nogil:
    """Write F^T M F, M = B^T B, its factors, and the mobilities with it; False if rounding leaves no factors."""
    cdef int k
    for k in range(6 * V.bodies, E.n):
        E.mass[E.start[k + 1] - 1] = 0.0
    add_squares(C, V, E)
    if not factor_mass(E):
        return False
    find_mobilities(C, V, E)
    return True


cdef void multiply_mass(const Couplings* C, const VelocitySpace* V) noexcept nogil:
    """Write p = B^T B u, for all unknowns of robots."""
    cdef const double* B
    cdef double x
    cdef int k, a
    memset(C.p, 0, C.unknowns * sizeof(double))
    for k in range(6 * V.bodies, C.unknowns):
        x, B, a = 0.0, V.root[k], k
        while a >= 0:
            x += B[0] * C.u[a]
            B, a = B + 1, V.above[a]
        B, a = V.root[k], k
        while a >= 0:
            C.p[a] += B[0] * x
            B, a = B + 1, V.above[a]


cdef void find_coupling_impulses(const Couplings* C, const VelocitySpace* V, const double* w,
                                 double* lam) noexcept nogil:
    """Write what couplings do to lam, beside the other impulses there and the velocities w."""
    cdef const Coupling* c
    cdef const Cut* t
    cdef int i
    for i in range(C.unknowns):
        C.u[i] = C.factor[i] * w[C.kept[i]] + C.offset[i]
    multiply_mass(C, V)
    for i in range(C.count):
        c = C.coupling + i
        lam[c.row] = C.p[c.follower] / c.entry
    for i in range(C.cuts):
        t = C.cut + i
        lam[C.coupling[t.coupling].row] -= t.entry / C.coupling[t.coupling].entry * lam[t.row]
