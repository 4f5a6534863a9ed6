# A ray among boxes, in single precision, all of a node at once: which of them it may meet, and from where on.
#
# No box that it meets is passed by.  What rounding does to the place where a ray begins widens the boxes; what it does
# to the ways to their sides, three roundings of 6e-8 each, is a share of these.

from libc.math cimport fabs

from rbdyn.collision.pieces.tree cimport DEPTH
from rbdyn.collision.shapes.bounding_tree cimport TreeNode
from rbdyn.collision.shapes.wide_tree cimport BOXES, WideNode

cdef extern from *:
    """
    #if defined(__SSE2__) || defined(_M_X64)
    #include <emmintrin.h>
    static inline unsigned signs_of_four(const float *x) { return (unsigned)_mm_movemask_ps(_mm_loadu_ps(x)); }
    #else
    static inline unsigned signs_of_four(const float *x) {
        return (x[0] < 0) | (x[1] < 0) << 1 | (x[2] < 0) << 2 | (x[3] < 0) << 3;
    }
    #endif
    #if defined(_MSC_VER)
    #include <intrin.h>
    static __inline int lowest_bit(unsigned bits) {
        unsigned long k;
        _BitScanForward(&k, bits);
        return (int)k;
    }
    #else
    static inline int lowest_bit(unsigned bits) { return __builtin_ctz(bits); }
    #endif
    #if defined(__GNUC__) || defined(__clang__)
    #define fetch_ahead(address) __builtin_prefetch(address)
    #else
    #define fetch_ahead(address) ((void)(address))
    #endif
    """
    unsigned signs_of_four(const float* x) noexcept nogil       # bit k: x[k] < 0
    int lowest_bit(unsigned bits) noexcept nogil                # its number; there is one
    void fetch_ahead(const void* address) noexcept nogil        # what will be read, or written, soon


cdef struct Beam:
    float[3] before, behind        # where it begins, for the sides that it meets first, and last
    float[3] inverse               # 1 / d along each axis, finite
    int[3] near, far               # the rows of WideNode.side that it meets first, and last


cdef inline void begin_beam(
        Beam* b, const double* at, const double* inverse, double rounding, const TreeNode* all_) noexcept nogil:
    """From a place near the box around all, which is known up to `rounding` [m]; 1 / d along each axis."""
    cdef double room, slope, least = -1e30, most = 1e30
    cdef int k
    for k in range(3):
        room = rounding + 2e-7 * (fabs(at[k]) + max(fabs(all_.low[k]), fabs(all_.high[k])))
        b.near[k] = k + 3 if inverse[k] < 0.0 else k
        b.far[k] = 2 * k + 3 - b.near[k]
        slope = min(most, inverse[k])
        b.inverse[k] = <float> max(least, slope)
        room = -room if inverse[k] < 0.0 else room
        b.before[k], b.behind[k] = <float> (at[k] + room), <float> (at[k] - room)


cdef inline unsigned meet_boxes(const Beam* b, const WideNode* w, float most, float* begins) noexcept nogil:
    """Which boxes of a node the ray meets before `most`, as bits, and where it comes into each, about."""
    cdef const float* x = w.side[b.near[0]]
    cdef const float* y = w.side[b.near[1]]
    cdef const float* z = w.side[b.near[2]]
    cdef const float* u = w.side[b.far[0]]
    cdef const float* v = w.side[b.far[1]]
    cdef const float* t = w.side[b.far[2]]
    cdef float[BOXES] left         # negative: met
    cdef float p, q, r, s, zero = 0.0, one = 1.0, share = 1.000001
    cdef int k
    for k in range(BOXES):
        p, q, r = (x[k] - b.before[0]) * b.inverse[0], (y[k] - b.before[1]) * b.inverse[1], (
            z[k] - b.before[2]) * b.inverse[2]
        p, r = p if p > q else q, r if r > zero else zero
        p = p if p > r else r
        q, r, s = (u[k] - b.behind[0]) * b.inverse[0], (v[k] - b.behind[1]) * b.inverse[1], (
            t[k] - b.behind[2]) * b.inverse[2]
        q, s = q if q < r else r, s if s < most else most
        q = q if q < s else s
        begins[k] = p
        left[k] = -one if p <= q * share else one
    return signs_of_four(left) | signs_of_four(left + 4) << 4


cdef struct Waiting:               # boxes that a ray has come to
    int n
    int[(BOXES - 1) * DEPTH + 1] box       # BOXES times the node, and the number of the box
    float[(BOXES - 1) * DEPTH + 1] begin   # where the ray comes into it, about


cdef inline void wait(Waiting* s, int box, float begin) noexcept nogil:
    s.box[s.n], s.begin[s.n] = box, begin
    s.n += 1


cdef inline int nearest_box(Waiting* s, const WideNode* wide, int node, const Beam* b, float most) noexcept nogil:
    """Of a node's boxes the one that the ray meets first, -1 if none; others that it meets wait."""
    cdef float[BOXES] begins
    cdef unsigned met = meet_boxes(b, wide + node, most, begins)
    cdef int k, other
    if met == 0:
        return -1
    k = lowest_bit(met)
    met &= met - 1
    while met != 0:
        other = lowest_bit(met)
        met &= met - 1
        if begins[other] < begins[k]:
            k, other = other, k
        wait(s, BOXES * node + other, begins[other])
    return BOXES * node + k


cdef inline float beyond(double most, double begin) noexcept nogil:
    """From where on boxes need not be looked at: a little beyond `most`, from `begin` on."""
    return <float> ((most - begin) * (1.0 + 1e-6))


cdef inline int next_box(Waiting* s, float most) noexcept nogil:
    """The last one that waits and that the ray meets before `most`, -1 if there is none."""
    while s.n > 0:
        s.n -= 1
        if s.begin[s.n] <= most:
            return s.box[s.n]
    return -1
