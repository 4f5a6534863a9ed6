"""The drift step: to the first cone boundary along the change of the latest sweep."""

from libc.math cimport INFINITY, isfinite, sqrt

from rbdyn.contact.islands cimport rows_of
from rbdyn.contact.laws cimport cone
from rbdyn.contact.laws.dispatch cimport admissible, make_admissible
from rbdyn.contact.operator cimport LineBlock, Operator, impulse_at, set_impulse
from rbdyn.contact.problem cimport BILATERAL, DISC
from rbdyn.contact.solvers.acceleration.anderson cimport Anderson
from rbdyn.spatial._algebra cimport Vec3, vec3

cdef double PARALLEL = 0.9999       # cosine of two changes that count as one direction
cdef double STEADY = 0.9995        # ratio of their lengths, at least
cdef double SHORT = 3.0            # sweeps' worth of drift that are not worth a step
cdef double INSIDE = 1e-6          # of its cone's radius: nearer to the boundary a contact counts as sliding


cdef bint find_direction(Anderson* A, const double* now, double* ratio) noexcept nogil:
    """Whether the change of this sweep has the direction of the last one, which goes to A.direction; their ratio.

    What still decays in it, from sweep to sweep by the same factor q, is taken out (Aitken): it does not go on.
    """
    cdef double a = 0.0, b = 0.0, c = 0.0, q = 0.0, d
    cdef int i, older
    for i in range(A.size):
        d = A.direction[i] = now[i] - A.x[i]
        a += A.weight[i] * d * d
        b += A.weight[i] * A.f[i] * A.f[i]
        c += A.weight[i] * d * A.f[i]
    if not (a > 0.0 and b > 0.0 and c > PARALLEL * sqrt(a * b)):
        return False
    ratio[0] = sqrt(a / b)
    if A.count > 0:                                    # A.f less the change before it
        b = c = 0.0
        older = A.newest * A.size
        for i in range(A.size):
            d = A.dF[older + i]
            b += A.weight[i] * d * d
            c += A.weight[i] * d * (A.direction[i] - A.f[i])
        q = c / b if b > 0.0 else 0.0
        if 0.0 < q < 0.9:
            q /= 1.0 - q
            for i in range(A.size):
                A.direction[i] += q * (A.direction[i] - A.f[i])
    return True


cdef double to_boundary(Vec3 lam, Vec3 d, double mu) noexcept nogil:
    """The t > 0 at which lam + t d leaves its cone; one on the boundary stays there (it is clipped)."""
    cdef double t = -lam.z / d.z if d.z < 0.0 else INFINITY
    cdef double most = mu * lam.z, slope = mu * d.z
    cdef double c = lam.x * lam.x + lam.y * lam.y - most * most, b, a, root
    if not most > 0.0 or -c <= INSIDE * most * most:
        return t
    b = lam.x * d.x + lam.y * d.y - most * slope       # a t^2 + 2 b t + c = 0 with c < 0
    a = d.x * d.x + d.y * d.y - slope * slope
    root = b * b - a * c
    if a > 0.0:
        return min(t, (sqrt(root) - b) / a if b <= 0.0 else -c / (sqrt(root) + b))
    if b > 0.0 and root > 0.0:
        return min(t, -c / (sqrt(root) + b))
    return t


cdef double row_to_bound(double lam, double d, double low, double high) noexcept nogil:
    """The t > 0 at which lam + t d meets a bound."""
    if d < 0.0:
        return (low - lam) / d
    return (high - lam) / d if d > 0.0 else INFINITY


cdef Vec3 disc_point(const Operator* G, const LineBlock* k, const double* impulse) noexcept nogil:
    """A disc whose radius follows a push is a cone."""
    cdef const double* lam = impulse + 3 * G.n + k.first
    return vec3(lam[0], lam[1] if k.rows == 2 else 0.0, impulse[3 * k.partner + 2] if k.partner >= 0 else 0.0)


cdef double first_boundary(const Operator* G, const double* now, const double* direction) noexcept nogil:
    """The t > 0 at which the first contact or row meets a boundary."""
    cdef const LineBlock* k
    cdef double t = INFINITY
    cdef int i, r
    for i in range(G.n):
        t = min(t, to_boundary(impulse_at(now, i), impulse_at(direction, i), G.contact[i].block.mu))
    for i in range(G.n_blocks):
        k = G.block + i
        if k.law == DISC:
            t = min(t, to_boundary(disc_point(G, k, now), disc_point(G, k, direction), k.low))
            continue
        for r in range(3 * G.n + k.first, 3 * G.n + k.first + k.rows if k.law != BILATERAL else 3 * G.n + k.first):
            t = min(t, row_to_bound(now[r], direction[r], admissible(k, -INFINITY), admissible(k, INFINITY)))
    return t


cdef bint follow(const Operator* G, const double* direction, double most, double* impulse) noexcept nogil:
    """Go along a direction to the first boundary, at most so far; False if that is near, or there is no end."""
    cdef double t = min(most, first_boundary(G, impulse, direction))
    cdef int i
    if not (isfinite(t) and t > SHORT):
        return False
    for i in range(rows_of(G)):
        impulse[i] += t * direction[i]
    for i in range(G.n):
        set_impulse(impulse, i, cone.admissible(G.contact + i, impulse_at(impulse, i)))
    for i in range(G.n_blocks):
        make_admissible(G.block + i, impulse, impulse + 3 * G.n + G.block[i].first)
    return True


cdef bint drift(const Operator* G, Anderson* A, double* impulse) noexcept nogil:
    """Go to the end of the drift from these impulses, those after a sweep; False if there is none, or no end of it.

    What slows down by a factor a sweep is no drift: Anderson's step finds where it ends.
    """
    cdef double ratio
    if not A.started or not find_direction(A, impulse, &ratio) or ratio < STEADY:
        return False
    return follow(G, A.direction, INFINITY, impulse)
