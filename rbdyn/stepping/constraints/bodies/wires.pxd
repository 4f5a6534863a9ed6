# Wires through points of bodies as a source of constraints: a unilateral row each.

from rbdyn.contact.problem cimport ContactProblem
from rbdyn.memory cimport Arena, place
from rbdyn.spatial._algebra cimport Vec3
from rbdyn.stepping.builder cimport Builder, Count, Share
from rbdyn.stepping.links cimport Anchor, Link
from rbdyn.stepping.scene cimport Scene

cdef enum:
    WIRE_SOURCE = 12          # Key.source; id_a is the number of the wire

cdef enum Resists:
    STRETCH
    COMPRESSION
    BOTH

cdef struct Wire:             # it runs straight from anchor to anchor, without friction
    Link link
    int n                     # anchors, 2 or more
    Anchor* anchor            # (n,)
    double* falls             # (n - 1,) how often it runs between an anchor and the next
    int resists               # Resists
    double length             # [m]
    double restitution        # 0 to 1
    # of this step
    Vec3* at                  # (n,) the anchors, world [m]
    Vec3* pull                # (n,) what a unit tension does to them [N / N]
    double distance           # its length along the anchors [m]
    double rate               # of it at the start [m/s]
    double before             # share of the step by the old velocity, if it is asked to bounce; else 0

cdef inline void lay_out_wire(Wire* w, Arena* a, int n) noexcept nogil:
    """Place the arrays of a wire with n anchors; twice, as memory.pxd says."""
    w.n = w.link.n_bodies = n
    w.link.body = <int*> place(a, n, sizeof(int))
    w.anchor = <Anchor*> place(a, n, sizeof(Anchor))
    w.falls = <double*> place(a, n, sizeof(double))
    w.at = <Vec3*> place(a, n, sizeof(Vec3))
    w.pull = <Vec3*> place(a, n, sizeof(Vec3))

cdef inline double sign_of(const Wire* w) noexcept nogil:
    """1 where a push shortens the wire, -1 where it lengthens it."""
    return -1.0 if w.resists == COMPRESSION else 1.0

cdef inline double excess(const Wire* w) noexcept nogil:
    """How far it is beyond what it allows [m], negative for slack; of BOTH: too long."""
    return sign_of(w) * (w.distance - w.length)

cdef double measure(Wire* w, const Vec3* at) noexcept nogil
cdef void look_at_wires(const Scene* s) noexcept nogil
cdef Count count_wires(const Scene* s) noexcept nogil
cdef int write_wires(const Scene* s, Builder* b) except -1 nogil
cdef void read_wires(const Scene* s, const ContactProblem* p, Share share) noexcept nogil
