# Where a pair's kernel leaves its contacts: any number of manifolds, one after the other.

from rbdyn.collision._types cimport ContactBuffer, ContactPoint, ShapeRecord
from rbdyn.collision.contact_buffer cimport reserve
from rbdyn.collision.kernels.known_push cimport KnownPush
from rbdyn.collision.kernels.manifold cimport Manifold
from rbdyn.spatial._algebra cimport Vec3, neg3, zero3


cdef struct Sink:
    ContactBuffer* out
    const ShapeRecord* a           # the pair, a.id < b.id
    const ShapeRecord* b
    bint swapped                   # True: the kernel was given b first
    KnownPush* push                # of the pair, read and written by the general kernel; NULL: none is kept
    bint again                     # True: a pair of convex shapes is asked again where it is, with a smaller margin:
    double distance                # of their cores, as the call before found it: minus the least push, if they overlap,
    Vec3 on_a, into_a              # the nearest point of the first core, and the unit normal there
    Vec3 apart                     # unit, from b to a: the general kernel found them apart along it; zero: not said
    bint full                      # True: the buffer could not grow, and contacts were lost


cdef inline void begin_sink(Sink* sink, ContactBuffer* out) noexcept nogil:
    """Begin with no push known; the pair is set by the caller."""
    sink.out, sink.push, sink.full, sink.again = out, NULL, False, False

cdef inline void emit(Sink* sink, const Manifold* m) noexcept nogil:
    """Append the contacts of a manifold, whose normal points into the shape that the kernel was given first."""
    cdef ContactBuffer* out = sink.out
    cdef ContactPoint* point
    cdef ContactPoint c            # what the points share
    cdef int k, n = m.n
    if n == 0:
        return
    if n > out.capacity - out.n and not reserve(out, n):
        sink.full = True
        return
    c.shape_a, c.shape_b, c.body_a, c.body_b = sink.a.id, sink.b.id, sink.a.body, sink.b.body
    c.normal = neg3(m.normal) if sink.swapped else m.normal
    point = &out.point[out.n]
    out.n += n
    for k in range(n):
        point[k].shape_a, point[k].shape_b, point[k].body_a, point[k].body_b = c.shape_a, c.shape_b, c.body_a, c.body_b
        point[k].feature = m.feature[k]
        point[k].position = m.position[k]
        point[k].normal = c.normal
        point[k].depth = m.depth[k]
        point[k].to_a = point[k].to_b = zero3()
        point[k].time = point[k].depth_then = -1.0
        point[k].fast = False
