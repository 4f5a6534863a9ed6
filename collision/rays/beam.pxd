# A ray among boxes, in single precision, four at a time: which of them it may meet, and from where on.
#
# No box that it meets is passed by.  What rounding does to the place where a ray begins widens the boxes; what it does
# to the ways to their sides, three roundings of 6e-8 each, is a share of these.

from libc.math cimport INFINITY, fabs, fmax, fmin
from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memcpy

from rbdyn.collision.pieces.tree cimport DEPTH
from rbdyn.collision.shapes.bounding_tree cimport TreeNode
from rbdyn.collision.shapes.wide_tree cimport WideNode
from rbdyn.spatial._algebra cimport outlined

cdef struct Beam:
    float[3] before, behind        # where it begins, for the sides that it meets first, and last
    float[3] inverse               # 1 / d along each axis, finite
    int[3] near, far               # the rows of WideNode.side that it meets first, and last


cdef inline Beam beam_of(
        const double* at, const double* inverse, double rounding, const TreeNode* all_) noexcept nogil:
    """From a place near the box around all, which is known up to `rounding` [m]; 1 / d along each axis."""
    cdef Beam b
    cdef double room
    cdef int k
    for k in range(3):
        room = rounding + 2e-7 * (fabs(at[k]) + fmax(fabs(all_.low[k]), fabs(all_.high[k])))
        b.near[k] = k + 3 if inverse[k] < 0.0 else k
        b.far[k] = 2 * k + 3 - b.near[k]
        b.inverse[k] = <float> fmax(-1e30, fmin(1e30, inverse[k]))
        room = -room if inverse[k] < 0.0 else room
        b.before[k], b.behind[k] = <float> (at[k] + room), <float> (at[k] - room)
    return b


cdef inline outlined meet_boxes(const Beam* b, const WideNode* w, float most, float* begins) noexcept nogil:
    """Where the ray comes into each of four boxes, about; infinite for those that it does not meet before `most`."""
    cdef const float* x = w.side[b.near[0]]
    cdef const float* y = w.side[b.near[1]]
    cdef const float* z = w.side[b.near[2]]
    cdef const float* u = w.side[b.far[0]]
    cdef const float* v = w.side[b.far[1]]
    cdef const float* t = w.side[b.far[2]]
    cdef float p, q, r, s
    cdef int k
    for k in range(4):
        p, q, r = (x[k] - b.before[0]) * b.inverse[0], (y[k] - b.before[1]) * b.inverse[1], (
            z[k] - b.before[2]) * b.inverse[2]
        p = p if p > q else q
        p = p if p > r else r
        p = p if p > 0.0 else 0.0
        q, r, s = (u[k] - b.behind[0]) * b.inverse[0], (v[k] - b.behind[1]) * b.inverse[1], (
            t[k] - b.behind[2]) * b.inverse[2]
        q = q if q < r else r
        q = q if q < s else s
        q = q if q < most else most
        begins[k] = p if p <= q * <float> 1.000001 else <float> INFINITY


cdef struct Waiting:               # boxes that a ray has come to, the next one last
    int n
    uint64_t[3 * DEPTH + 4] box    # the bits of where it comes into each, then four times the node and its number
    int node, number               # the leaf that is looked at: which of a node's boxes


cdef inline uint32_t bits_of(float x) noexcept nogil:
    """Those of a number, which grow as it does if it is not negative."""
    cdef uint32_t bits
    memcpy(&bits, &x, sizeof(float))
    return bits


cdef inline uint32_t beyond(double most, double begin) noexcept nogil:
    """From where on boxes need not be looked at: the bits of a little beyond `most`, from `begin` on."""
    return bits_of(<float> ((most - begin) * (1.0 + 1e-6)))


cdef inline float single(uint32_t bits) noexcept nogil:
    cdef float x
    memcpy(&x, &bits, sizeof(float))
    return x


cdef inline void put_in_order(uint64_t* a, uint64_t* b) noexcept nogil:
    """The smaller one first, without a branch that no processor foresees."""
    cdef uint64_t low = a[0] if a[0] < b[0] else b[0], high = b[0] if a[0] < b[0] else a[0]
    a[0], b[0] = low, high


cdef inline void look_into(Waiting* s, const WideNode* wide, int node, const Beam* b, uint32_t most) noexcept nogil:
    """Put those boxes of a node that the ray meets to what waits, the nearest last."""
    cdef float[4] begins
    cdef uint32_t[4] bits
    cdef uint64_t[4] box
    cdef int k, met = 0
    meet_boxes(b, wide + node, single(most), begins)
    memcpy(bits, begins, sizeof(bits))
    for k in range(4):
        box[k] = <uint64_t> bits[k] << 32 | <uint64_t> (4 * node + k)
        met += begins[k] < <float> INFINITY
    put_in_order(&box[0], &box[1])
    put_in_order(&box[2], &box[3])
    put_in_order(&box[0], &box[2])
    put_in_order(&box[1], &box[3])
    put_in_order(&box[1], &box[2])
    for k in range(4):                           # beyond `met` of them is nothing that counts
        s.box[s.n + k] = box[(met - 1 - k) & 3]
    s.n += met


cdef inline bint next_leaf(Waiting* s, const WideNode* wide, const Beam* b, uint32_t most) noexcept nogil:
    """Go on to the next leaf that the ray may meet before `most`; False if there is none."""
    cdef const WideNode* w
    cdef uint32_t which
    while s.n > 0:
        s.n -= 1
        if s.box[s.n] >> 32 > most:
            continue
        which = <uint32_t> s.box[s.n]
        s.node, s.number = which >> 2, which & 3
        w = wide + s.node
        if w.count[s.number] > 0:
            return True
        look_into(s, wide, w.first[s.number], b, most)
    return False
