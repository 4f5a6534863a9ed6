# Where a factorisation of the mass matrix breaks down.
#
# A pivot that should be zero comes out as a rounding error, of either sign.  Elimination leaves of the inertia that a
# joint moves as one rigid body what its descendants do not give way to, so that an error is some 1e-16 of the
# composite inertia: of its mass along a translation, of its trace about a rotation; more where other pivots are small.
# That is what pivots are compared with, so that no unit matters.  A cheap bound on all composite inertias tells which
# pivots have to be looked at.

from libc.math cimport sqrt

from rbdyn.kernels.crba cimport composite_inertias
from rbdyn.model._model cimport CData, CModel
from rbdyn.model.joints.dispatch cimport is_revolute, joint_column, translations
from rbdyn.spatial._algebra cimport Inertia, Motion, dot3

cdef enum:
    NOT_SINGULAR = -1

cdef struct Floor:            # pivots above are no errors
    double rotation           # [kg m^2]
    double translation        # [kg]

cdef inline Floor pivot_floor(const CModel* m, const CData* d) noexcept nogil:
    """1e-9 of the mass of the system, and of its inertia were it one step away, the longest; d.X is current."""
    cdef double longest = 0.0, r
    cdef Floor f
    cdef int i
    for i in range(1, m.nb):
        if m.parent[i]:
            r = dot3(d.X[i].r, d.X[i].r)
            longest = r if r > longest else longest
    f.translation = 1e-9 * m.mass
    f.rotation = 1e-9 * (m.trace + m.mass * longest)
    return f

cdef inline double floor_of(const CModel* m, Floor f, int i, int j) noexcept nogil:
    """That of degree of freedom j of joint i: rotations come last."""
    cdef int n = m.nvi[i]
    cdef bint rotates
    if n == 1:
        rotates = is_revolute(m, i)
    else:
        rotates = j >= translations(m, i)
    return f.rotation if rotates else f.translation

cdef inline double path_length(const CModel* m, const CData* d, int i) noexcept nogil:
    """At most how far body i is from the first body of its tree [m]."""
    cdef double length = 0.0
    while m.parent[i]:
        length += sqrt(dot3(d.X[i].r, d.X[i].r))
        i = m.parent[i]
    return length

cdef inline bint vanishes(const CModel* m, const CData* d, int i, int j, double pivot, double away) noexcept nogil:
    """Whether a pivot is no number, or below 1e-12 of the composite inertia `away` [m] from joint i: an error."""
    cdef Motion S = joint_column(m, d, i, j)
    cdef const Inertia* A = d.Ic + i
    cdef double about = A.I_o.xx + A.I_o.yy + A.I_o.zz + A.m * away * away
    return not pivot > 1e-12 * (dot3(S.w, S.w) * about + dot3(S.v, S.v) * A.m)

cdef inline bint singular(const CModel* m, CData* d, int* joint, int* freedom) noexcept nogil:
    """Whether a pivot of the articulated-body factorisation vanishes, and whose.  Writes d.Ic if one might.

    From the leaves to the root, as the pivots come about: after a division by zero all others may be NaN.
    """
    cdef Floor f = pivot_floor(m, d)
    cdef bint composed = False
    cdef double p
    cdef int i, j
    for i in range(m.nb - 1, 0, -1):
        for j in range(m.nvi[i]):
            p = d.D[6 * (m.vi[i] + j) + (j if m.nvi[i] > 1 else 0)]
            if m.nvi[i] > 1:
                p = p * p                       # of L, with D = L L^T
            if p > floor_of(m, f, i, j):
                continue
            if not composed:
                composite_inertias(m, d)
                composed = True
            if vanishes(m, d, i, j, p, 0.0):
                joint[0], freedom[0] = i, j
                return True
    return False

cdef inline int singular_pivot(const CModel* m, CData* d, const double* H, bint about_base) noexcept nogil:
    """The degree of freedom whose pivot of the sparse factorisation L^T D L vanishes, or NOT_SINGULAR.

    From the leaves to the root, for the same reason.  Writes d.Ic if one might vanish.  With `about_base`, H was
    formed about the first body of each tree (rnea_derivatives.pxd), which rounds what is far from it more.
    """
    cdef Floor f = pivot_floor(m, d)
    cdef double both = max(f.rotation, f.translation)
    cdef bint composed = False, high = True
    cdef Py_ssize_t k, nv = m.nv
    cdef int i, j
    for k in range(nv):
        high &= H[k * (nv + 1)] > both
    if high:
        return NOT_SINGULAR
    for i in range(m.nb - 1, 0, -1):
        for j in range(m.nvi[i] - 1, -1, -1):
            k = m.vi[i] + j
            if H[k * nv + k] > floor_of(m, f, i, j):
                continue
            if not composed:
                composite_inertias(m, d)
                composed = True
            if vanishes(m, d, i, j, H[k * nv + k], path_length(m, d, i) if about_base else 0.0):
                return k
    return NOT_SINGULAR
