# Least push that frees two convex cores that overlap.
#
# Source: G. van den Bergen, Proximity queries and penetration depth computation on 3D game objects
# (GDC 2001): the expanding polytope.  Here the polytope may start anywhere inside A - B: a
# face that has the origin on its outer side has a negative distance and is simply expanded first.

from rbdyn.collision._types cimport PosedShape
from rbdyn.collision.kernels.gjk cimport Simplex
from rbdyn.collision.kernels.known_push cimport KnownPush
from rbdyn.spatial._algebra cimport Vec3


cdef struct Slack:                 # by how much the push of curved shapes may be longer than the least
    double share                   # of the push
    double size                    # of the smaller size


cdef inline Slack of_contact() noexcept nogil:
    """Return that of a contact: less than the share of the depth that convex.pxd prefers a face by."""
    return Slack(share=2e-2, size=1e-7)


cdef inline Slack of_query() noexcept nogil:
    """Return that of a distance that is asked for, which has the time."""
    return Slack(share=1e-5, size=1e-7)


cdef double penetrate(
        const PosedShape* a, const PosedShape* b, const Simplex* s, Slack slack, Vec3* x_a,
        Vec3* normal, KnownPush* known) noexcept nogil


cdef double deep_by(const PosedShape* a, const PosedShape* b, const Simplex* s, double share) noexcept nogil
