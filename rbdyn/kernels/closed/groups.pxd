# Loops that share joints, and what is left to move when each group of them is closed.
#
# The rows of a loop touch the joints on the way from one of its bodies to the other, and no others.  Loops that share a
# joint make a group; joints belong to one group at most, so that K falls apart into blocks, one a group, whose
# decompositions are as small as the loops are.  The joints of a group hang together below one body, its `top`, which
# is not in the group: groups and free joints form a tree again.
#
# With columns Z of a group's own motions, orthonormal, K Z = 0, all velocities that keep loops closed are v = Z u.
# Source: RBDA, the chapter on closed-loop systems; A. Jain, Multibody graph transformations and analysis, part II,
# Nonlinear Dynamics 67 (2012): constraint embedding.

from libc.math cimport fabs
from libc.string cimport memcpy, memset

from rbdyn.kernels.cod cimport Cod, cod_factor, cod_place, cod_size, times_q
from rbdyn.kernels.loops cimport Rows, add_columns
from rbdyn.model._model cimport CData, CModel

cdef struct Group:
    int joints            # joints in it
    int* joint            # (joints,) ascending
    int loops             # loops in it
    int* loop             # (loops,) ascending
    int top               # body that carries them
    int dofs              # degrees of freedom of these joints
    int rows              # rows of its loops
    int rotors            # rotor rows of its loops, after the others in K
    int freedom           # degrees of freedom that the loops leave
    int place             # first of these among those of all
    double* K             # (rows + rotors, dofs)
    double* Z             # (freedom, dofs): one motion after the other
    Cod Q                 # (dofs, rows) decomposition of K^T

cdef struct Groups:
    int n                 # groups
    int freedom           # degrees of freedom that the loops leave of the tree; set by `close_groups`
    Group* group          # (n_loops,)
    int* of               # (nb,) group of joint i, or -1: it is free
    int* column           # (nb,) first column of joint i in its group
    int* place            # (nb,) first degree of freedom of a free joint among those that are left
    int* last             # (nb,) last one of what carries the children of body i, or -1
    int* parent           # (nv,) next one towards the root, or -1
    int* run              # (nv,) the lowest of those before it that follow on one another: parent[j] == j - 1
    int* member           # (nb,) joints of groups, group after group
    int* loops            # (n_loops,) loops of groups, group after group
    int* leader           # (n_loops,) scratch of the search
    int* loop_group       # (n_loops,) group of a loop, or -1: it joins a body to itself
    int* row              # (n_loops,) first of its rows in its group
    int* rotor_row        # (n_loops,) first of its rotor rows in its group, counted from the first row
    double* numbers       # K, Z and Q of all groups

cdef inline size_t groups_size(const CModel* m) noexcept nogil:
    """Bytes of what `place_groups` lays out, however the loops group."""
    cdef size_t n = m.nc + m.nr, nv = m.nv
    return ((n * nv + nv * nv + cod_size(nv, m.nc)) * sizeof(double) + m.n_loops * (sizeof(Group) + 5 * sizeof(int))
            + (5 * m.nb + 2 * m.nv + 8) * sizeof(int))

cdef inline Groups place_groups(const CModel* m, double* memory) noexcept nogil:
    """Lay the arrays out in working memory."""
    cdef Groups g
    cdef int nb = m.nb, nv = m.nv
    g.n = g.freedom = 0
    g.group = <Group*> memory
    g.of = <int*> (g.group + m.n_loops)
    g.column = g.of + nb
    g.place = g.column + nb
    g.last = g.place + nb
    g.member = g.last + nb
    g.parent = g.member + nb
    g.run = g.parent + nv
    g.loops = g.run + nv
    g.leader = g.loops + m.n_loops
    g.loop_group = g.leader + m.n_loops
    g.row = g.loop_group + m.n_loops
    g.rotor_row = g.row + m.n_loops
    g.numbers = memory + (((<char*> (g.rotor_row + m.n_loops)) - <char*> memory) // sizeof(double) + 1)
    return g

cdef inline int leader_of(int* leader, int n) noexcept nogil:
    """The loop that stands for the group of loop n."""
    while leader[n] != n:
        leader[n] = leader[leader[n]]
        n = leader[n]
    return n

cdef inline void unite_loops(const CModel* m, Groups* g) noexcept nogil:
    """Leaders of loops, and in g.of a loop of each joint that is on the way of one."""
    cdef int n, a, b, i
    for i in range(m.nb):
        g.of[i] = -1
    for n in range(m.n_loops):
        g.leader[n] = n
        a, b = m.loops[n].successor, m.loops[n].predecessor
        while a != b:
            i = max(a, b)
            if g.of[i] < 0:
                g.of[i] = n
            else:
                g.leader[leader_of(g.leader, g.of[i])] = leader_of(g.leader, n)
            if a > b:
                a = m.parent[a]
            else:
                b = m.parent[b]

cdef inline void number_groups(const CModel* m, Groups* g) noexcept nogil:
    """Groups in the order of their first joints, with sizes and tops; g.of becomes the group of a joint."""
    cdef int i, n
    cdef Group* c
    for n in range(m.n_loops):
        g.loop_group[n] = -1
    for i in range(1, m.nb):
        if g.of[i] < 0:
            continue
        n = leader_of(g.leader, g.of[i])
        if g.loop_group[n] < 0:
            g.loop_group[n] = g.n
            c = g.group + g.n
            c.joints = c.dofs = c.loops = c.rows = c.rotors = 0
            c.top = m.parent[i]
            g.n += 1
        g.of[i] = g.loop_group[n]
        c = g.group + g.of[i]
        g.column[i] = c.dofs
        c.dofs += m.nvi[i]
        c.joints += 1
    for n in range(m.n_loops):
        g.loop_group[n] = g.loop_group[leader_of(g.leader, n)]
        if g.loop_group[n] >= 0:
            g.group[g.loop_group[n]].loops += 1

cdef inline void list_members(const CModel* m, Groups* g) noexcept nogil:
    """Joints and loops of each group, and the places of its rows."""
    cdef int n, i, joints = 0, loops = 0
    cdef Group* c
    for n in range(g.n):
        c = g.group + n
        c.joint, c.loop = g.member + joints, g.loops + loops
        joints += c.joints
        loops += c.loops
        c.joints = c.loops = 0
    for i in range(1, m.nb):
        if g.of[i] >= 0:
            c = g.group + g.of[i]
            c.joint[c.joints] = i
            c.joints += 1
    for n in range(m.n_loops):
        if g.loop_group[n] >= 0:
            c = g.group + g.loop_group[n]
            c.loop[c.loops] = n
            c.loops += 1
            g.row[n] = c.rows
            c.rows += m.loops[n].rows
    for n in range(m.n_loops):
        if g.loop_group[n] >= 0:
            c = g.group + g.loop_group[n]
            g.rotor_row[n] = c.rows + c.rotors
            c.rotors += 6 - m.loops[n].rows if m.loops[n].rotor > 0.0 else 0

cdef inline void find_groups(const CModel* m, Groups* g) noexcept nogil:
    """Everything that hangs on the model alone, and room for the rest."""
    cdef int n
    cdef double* numbers = g.numbers
    cdef Group* c
    unite_loops(m, g)
    number_groups(m, g)
    list_members(m, g)
    for n in range(g.n):
        c = g.group + n
        c.K = numbers
        c.Z = c.K + <size_t> (c.rows + c.rotors) * c.dofs
        numbers = cod_place(&c.Q, c.dofs, c.rows, c.Z + <size_t> c.dofs * c.dofs)

cdef inline void group_matrix(const CModel* m, const CData* d, const Groups* g, const Group* c) noexcept nogil:
    """K of a group; the poses are current."""
    cdef int l, n, a, b
    cdef Rows to
    memset(c.K, 0, (c.rows + c.rotors) * <size_t> c.dofs * sizeof(double))
    for l in range(c.loops):
        n = c.loop[l]
        to.matrix, to.stride, to.row, to.rotor_row = c.K, c.dofs, g.row[n], g.rotor_row[n]
        a, b = m.loops[n].successor, m.loops[n].predecessor
        while a != b:
            if a > b:
                add_columns(m, d, m.loops + n, a, 1.0, to, g.column[a])
                a = m.parent[a]
            else:
                add_columns(m, d, m.loops + n, b, -1.0, to, g.column[b])
                b = m.parent[b]

cdef inline double row_product(
        const CModel* m, const Groups* g, const Group* c, int row, const double* v) noexcept nogil:
    """Row `row` of a group's K times v (nv,)."""
    cdef int n, k, i
    cdef const double* K = c.K + <size_t> c.dofs * row
    cdef double s = 0.0
    for n in range(c.joints):
        i = c.joint[n]
        for k in range(m.nvi[i]):
            s += K[g.column[i] + k] * v[m.vi[i] + k]
    return s

cdef inline double row_size(
        const CModel* m, const Groups* g, const Group* c, int row, const double* v) noexcept nogil:
    """The sum of the terms of row_product, each without its sign."""
    cdef int n, k, i
    cdef const double* K = c.K + <size_t> c.dofs * row
    cdef double s = 0.0
    for n in range(c.joints):
        i = c.joint[n]
        for k in range(m.nvi[i]):
            s += fabs(K[g.column[i] + k] * v[m.vi[i] + k])
    return s

cdef inline void add_row(
        const CModel* m, const Groups* g, const Group* c, int row, double s, double* f) noexcept nogil:
    """f (nv,) += s times row `row` of a group's K."""
    cdef int n, k, i
    cdef const double* K = c.K + <size_t> c.dofs * row
    for n in range(c.joints):
        i = c.joint[n]
        for k in range(m.nvi[i]):
            f[m.vi[i] + k] += s * K[g.column[i] + k]

cdef inline void close_group(Group* c, double tolerance) noexcept nogil:
    """Q, and Z with the motions that the loops leave.

    Columns of joints are unit vectors, at least: rows that are all rounding are of directions that joints keep already.
    """
    cdef int j
    cdef double* z
    memcpy(c.Q.A, c.K, c.rows * <size_t> c.dofs * sizeof(double))
    cod_factor(&c.Q, tolerance, 1e-12)
    c.freedom = c.dofs - c.Q.rank
    memset(c.Z, 0, c.freedom * <size_t> c.dofs * sizeof(double))
    for j in range(c.freedom):
        z = c.Z + <size_t> c.dofs * j
        z[c.Q.rank + j] = 1.0
        times_q(&c.Q, z)

cdef inline void number_freedom(const CModel* m, Groups* g) noexcept nogil:
    """Places of what is left to move, groups at their first joints, and who is whose parent; all groups are closed."""
    cdef int i, k, before, count, at = 0
    cdef Group* c
    g.last[0] = -1
    for i in range(1, m.nb):
        before, count = g.last[m.parent[i]], m.nvi[i]
        if g.of[i] >= 0:
            c = g.group + g.of[i]
            if i != c.joint[0]:
                g.last[i] = g.last[c.joint[0]]
                continue
            before, count, c.place = g.last[c.top], c.freedom, at
        g.place[i] = at
        for k in range(at, at + count):
            g.parent[k] = before if k == at else k - 1
            g.run[k] = g.run[k - 1] if k > 0 and g.parent[k] == k - 1 else k
        at += count
        g.last[i] = at - 1 if count else before
    g.freedom = at

cdef inline void gather_joints(
        const CModel* m, const Groups* g, const Group* c, const double* x, double* y) noexcept nogil:
    """y (dofs,): what x (nv,) holds for the joints of a group."""
    cdef int n, k, i
    for n in range(c.joints):
        i = c.joint[n]
        for k in range(m.nvi[i]):
            y[g.column[i] + k] = x[m.vi[i] + k]

cdef inline void spread_joints(
        const CModel* m, const Groups* g, const Group* c, const double* y, double* x) noexcept nogil:
    """The entries of x (nv,) of a group's joints become those of y (dofs,)."""
    cdef int n, k, i
    for n in range(c.joints):
        i = c.joint[n]
        for k in range(m.nvi[i]):
            x[m.vi[i] + k] = y[g.column[i] + k]

cdef inline void gather_rows_of(
        const CModel* m, const Groups* g, const Group* c, const double* x, double* y) noexcept nogil:
    """y (rows,): what x (nc,) holds for the loops of a group."""
    cdef int l, n
    for l in range(c.loops):
        n = c.loop[l]
        memcpy(y + g.row[n], x + m.loops[n].row, m.loops[n].rows * sizeof(double))

cdef inline void spread_rows_of(
        const CModel* m, const Groups* g, const Group* c, const double* y, double* x) noexcept nogil:
    """The entries of x (nc,) of a group's loops become those of y (rows,)."""
    cdef int l, n
    for l in range(c.loops):
        n = c.loop[l]
        memcpy(x + m.loops[n].row, y + g.row[n], m.loops[n].rows * sizeof(double))
