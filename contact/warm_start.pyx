"""Last step's impulses, by key."""

from libc.stdlib cimport free
from libc.string cimport memcpy, memmove, memset

from rbdyn.contact.cone.local cimport clipped
from rbdyn.contact.laws.disc cimport share_inside
from rbdyn.contact.operator cimport impulse_at, set_impulse
from rbdyn.contact.problem cimport BOX, DISC, UNILATERAL, Block, ContactProblem, Key
from rbdyn.memory cimport grow
from rbdyn.spatial._algebra cimport Mat3, Vec3, mul3, rows3, tmul3, vec3, zero3


cdef Mat3 frame_of(const ContactProblem* p, int i) noexcept nogil:
    cdef const double* R = p.frame + 9 * i
    return rows3(vec3(R[0], R[1], R[2]), vec3(R[3], R[4], R[5]), vec3(R[6], R[7], R[8]))


cdef inline Key no_key() noexcept nogil:
    return Key(source=0, id_a=0, id_b=0, feature=0)


cdef void shorten(ContactProblem* p, const Block* B) noexcept nogil:
    """Take the impulses of a disc into what its cone pushes now."""
    cdef double* lam = p.impulse + B.first_row
    cdef double share
    cdef int r
    if not (0 <= B.partner < p.n_cones and 1 <= B.rows <= 2):
        return                                         # the solver will say so
    share = share_inside(B.a * max(0.0, p.impulse[3 * B.partner + 2]), lam, B.rows)
    for r in range(B.rows):
        lam[r] *= share


cdef void load(const WarmStart* W, ContactProblem* p) noexcept nogil:
    """Write every block's starting impulse: last step's, or zero if it was not there.

    What is remembered ascends.  So do cones, and other blocks but for those of systems that surgery has put elsewhere.
    """
    cdef int i, j = 0, k = 0, r, order
    cdef Key last = no_key()
    cdef Vec3 lam
    cdef const Block* B
    cdef double x
    for i in range(p.n_cones):
        B = p.block + i
        lam = zero3()
        if compare(B.key, last) > 0:
            last = B.key
            while j < W.n:
                order = compare(W.key[j], last)
                if order > 0:
                    break
                j += 1
                if order == 0:
                    lam = clipped(mul3(frame_of(p, i), W.impulse[j - 1]), B.a)
                    break
        set_impulse(p.impulse, i, lam)
    if p.n > p.n_cones:
        memset(p.impulse + 3 * p.n_cones, 0, (p.n_rows - 3 * p.n_cones) * sizeof(double))
    last = no_key()
    j = 0
    for i in range(p.n_cones, p.n):
        B = p.block + i
        if j == W.n_blocks or not is_same(&B.key, W.block_key + j):        # nearly always it is the next one
            order = compare(B.key, last)
            if order == 0:
                continue
            if order < 0:
                j = k = 0
            while j < W.n_blocks and compare(W.block_key[j], B.key) < 0:
                k += W.block_rows[j]
                j += 1
        last = B.key
        if j == W.n_blocks or not is_same(&last, W.block_key + j):
            continue
        j += 1
        k += W.block_rows[j - 1]
        if W.block_rows[j - 1] != B.rows:
            continue
        for r in range(B.rows):
            x = W.row_impulse[k - B.rows + r]
            if B.law == UNILATERAL:
                x = max(0.0, x)
            elif B.law == BOX:
                x = min(B.b, max(B.a, x))
            p.impulse[B.first_row + r] = x
        if B.law == DISC:
            shorten(p, B)


cdef int reserve(WarmStart* W, int n, int blocks, int rows, size_t* reallocations) except -1 nogil:
    """Room for n cones, other blocks and their rows; what is remembered stays."""
    reallocations[0] += grow(<void**>&W.key, &W.key_capacity, n, sizeof(Key))
    reallocations[0] += grow(<void**>&W.impulse, &W.impulse_capacity, n, sizeof(Vec3))
    reallocations[0] += grow(<void**>&W.block_key, &W.block_key_capacity, blocks, sizeof(Key))
    reallocations[0] += grow(<void**>&W.block_rows, &W.block_rows_capacity, blocks, sizeof(int))
    reallocations[0] += grow(<void**>&W.row_impulse, &W.row_capacity, rows, sizeof(double))
    return 0


cdef void remember(WarmStart* W, Key key, int rows, const double* lam) noexcept nogil:
    """Put a block in its place, which nearly always is the last, unless it has no key or there is one of that key.

    The caller has reserved the room.
    """
    cdef int at = W.n_blocks, row = W.n_rows, order = 1
    if compare(key, no_key()) == 0:
        return
    while at > 0:
        order = compare(key, W.block_key[at - 1])
        if order >= 0:
            break
        at -= 1
        row -= W.block_rows[at]
    if at > 0 and order == 0:
        return
    if at < W.n_blocks:
        memmove(W.block_key + at + 1, W.block_key + at, (W.n_blocks - at) * sizeof(Key))
        memmove(W.block_rows + at + 1, W.block_rows + at, (W.n_blocks - at) * sizeof(int))
        memmove(W.row_impulse + row + rows, W.row_impulse + row, (W.n_rows - row) * sizeof(double))
    W.block_key[at], W.block_rows[at] = key, rows
    memcpy(W.row_impulse + row, lam, rows * sizeof(double))
    W.n_blocks += 1
    W.n_rows += rows


cdef int store(WarmStart* W, const ContactProblem* p, const double* impulse, size_t* reallocations) except -1 nogil:
    """Remember these impulses, (n_rows,), and nothing older."""
    cdef int i, m = 0
    cdef Key last = no_key()
    cdef Vec3 lam
    cdef const Block* B
    reserve(W, p.n_cones, p.n - p.n_cones, p.n_rows - 3 * p.n_cones, reallocations)
    for i in range(p.n_cones):
        B = p.block + i
        if compare(B.key, last) > 0:
            last = B.key
            lam = impulse_at(impulse, i)
            if lam.x != 0.0 or lam.y != 0.0 or lam.z != 0.0:       # others start from zero anyhow
                W.key[m], W.impulse[m] = last, tmul3(frame_of(p, i), lam)
                m += 1
    W.n = m
    W.n_blocks = W.n_rows = 0
    for i in range(p.n_cones, p.n):
        B = p.block + i
        remember(W, B.key, B.rows, impulse + B.first_row)
    return 0


cdef int copy(WarmStart* to, const WarmStart* from_, size_t* reallocations) except -1 nogil:
    """Remember what another one does."""
    reserve(to, from_.n, from_.n_blocks, from_.n_rows, reallocations)
    memcpy(to.key, from_.key, from_.n * sizeof(Key))
    memcpy(to.impulse, from_.impulse, from_.n * sizeof(Vec3))
    memcpy(to.block_key, from_.block_key, from_.n_blocks * sizeof(Key))
    memcpy(to.block_rows, from_.block_rows, from_.n_blocks * sizeof(int))
    memcpy(to.row_impulse, from_.row_impulse, from_.n_rows * sizeof(double))
    to.n, to.n_blocks, to.n_rows = from_.n, from_.n_blocks, from_.n_rows
    return 0


cdef void release(WarmStart* W) noexcept nogil:
    """Give all memory back."""
    free(W.key)
    free(W.impulse)
    free(W.block_key)
    free(W.block_rows)
    free(W.row_impulse)
    memset(W, 0, sizeof(WarmStart))
