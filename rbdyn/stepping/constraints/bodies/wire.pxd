# A wire, or a spring, between points of bodies, as a scene knows it.

from libc.math cimport fabs, fmax, fmin, sqrt

from rbdyn.memory cimport Arena, place
from rbdyn.spatial._algebra cimport Vec3, add3, cross3, dot3, scale3, sub3, vec3, zero3
from rbdyn.stepping.links cimport WIRE_LINK, Anchor, Link
from rbdyn.stepping.points cimport start_motion_of
from rbdyn.stepping.scene cimport Scene

cdef enum:
    WIRE_SOURCE = 12          # Key.source; id_a is the number of the wire
    SPRING_SOURCE = 13        # of both, feature 0 is along it, 1 across,
    TURNING = 2               # and from 2 on about the bodies of its anchors

cdef enum Resists:
    STRETCH
    COMPRESSION
    BOTH

cdef enum WireKind:
    STIFF                     # a row without compliance
    COMPLIANT                 # a spring and a damper, implicit
    CUSTOM                    # a force that the user says
    SPRING                    # as COMPLIANT, of two points, and it turns

cdef struct Wire:             # it runs straight from anchor to anchor, without friction
    Link link
    int kind                  # WireKind
    int n                     # anchors, 2 or more
    Anchor* anchor            # (n,)
    double* falls             # (n - 1,) how often it runs between an anchor and the next
    int resists               # Resists
    double length             # [m]
    double speed              # with which a winch lets it out [m/s], negative: winds it up
    double length_before      # before the step of which this is a part [m]
    double restitution        # 0 to 1
    double stiffness          # [N/m]
    double damping            # [N s/m]
    # of this step
    Vec3* at                  # (n,) where it acts on its bodies, world [m]
    Vec3* way                 # (n,) where it runs, if that is somewhat later
    Vec3* pull                # (n,) what a unit tension does to them [N / N]
    double* share             # (n - 1,) how much each part counts in that
    bint* swings              # (n,) it turns this body faster than steps tell: there is a block about it (turning.pyx)
    Vec3* about               # (2 n,) axes of that, times the root of the stiffness [(N m)^1/2]
    double distance           # along the anchors at the start [m]
    double rate               # of it [m/s]
    double before             # share of the step by the old velocity, if it is asked to bounce; else 0
    double tension            # that the user says [N]
    bint stops                # it is too stiff for the step to swing
    bint turns                # it holds its ends sideways, too: there is a block across it
    Vec3[2] across            # directions of that

cdef inline void lay_out_wire(Wire* w, Arena* a, int n) noexcept nogil:
    """Place the arrays of a wire with n anchors; twice, as memory.pxd says."""
    w.n = w.link.n_bodies = n
    w.link.body = <int*> place(a, n, sizeof(int))
    w.anchor = <Anchor*> place(a, n, sizeof(Anchor))
    w.falls = <double*> place(a, n, sizeof(double))
    w.at = <Vec3*> place(a, n, sizeof(Vec3))
    w.way = <Vec3*> place(a, n, sizeof(Vec3))
    w.pull = <Vec3*> place(a, n, sizeof(Vec3))
    w.share = <double*> place(a, n, sizeof(double))
    w.swings = <bint*> place(a, n, sizeof(bint))
    w.about = <Vec3*> place(a, 2 * n, sizeof(Vec3))

cdef inline Wire* wire_of(const Scene* s, int k) noexcept nogil:
    return <Wire*> s.link[WIRE_LINK].item[k]

cdef inline void wind(Wire* w, double dt) noexcept nogil:
    """A step of its winch, which stops where nothing is left to wind up."""
    if w.length + dt * w.speed > 0.0:
        w.length += dt * w.speed
    else:
        w.speed = 0.0

cdef inline double sign_of(const Wire* w) noexcept nogil:
    """1 where a push shortens the wire, -1 where it lengthens it."""
    return -1.0 if w.resists == COMPRESSION else 1.0

cdef inline double excess(const Wire* w) noexcept nogil:
    """How far it is beyond what it allows [m], negative for slack; of BOTH: too long."""
    return sign_of(w) * (w.distance - w.length)

cdef inline bint is_elastic(const Wire* w) noexcept nogil:
    return w.kind == COMPLIANT or w.kind == SPRING

cdef inline double last_tension(const Wire* w) noexcept nogil:
    """Of a stiff wire, in the two steps before, the smaller [N]: a blow is none."""
    if not (w.link.done.dt > 0.0 and w.link.last.dt > 0.0):
        return 0.0
    return fmin(sign_of(w) * w.link.done.impulse[0] / w.link.done.dt,
                sign_of(w) * w.link.last.impulse[0] / w.link.last.dt)

cdef inline double tension_of(const Wire* w) noexcept nogil:
    """What it pulls with as the step begins [N], as far as is known; negative where it pushes."""
    if w.kind == STIFF:
        return last_tension(w)
    return sign_of(w) * w.stiffness * (excess(w) if w.resists == BOTH else fmax(0.0, excess(w)))

cdef inline double measure(Wire* w, const Vec3* at) noexcept nogil:
    """The way along these points [m]; writes what a unit tension does to them.

    A spring whose ends meet has a direction all the same.
    """
    cdef double distance = 0.0, d
    cdef Vec3 way
    cdef int i
    for i in range(w.n):
        w.pull[i] = zero3()
    for i in range(w.n - 1):
        way = sub3(at[i + 1], at[i])
        d = sqrt(dot3(way, way))
        distance += w.falls[i] * d
        if d > 0.0:
            way = scale3(w.falls[i] / d, way)
        elif w.kind == SPRING:
            way = vec3(1.0, 0.0, 0.0)
        w.pull[i] = add3(w.pull[i], way)
        w.pull[i + 1] = sub3(w.pull[i + 1], way)
    return distance

cdef inline double share_of_part(double d, double reach) noexcept nogil:
    """How much a part of length d counts that may become shorter by `reach` in a step; nothing if it may twice over."""
    return min(1.0, max(0.0, 2.0 * d / reach - 1.0)) if d < reach else 1.0

cdef inline double start_rate(const Scene* s, const Wire* w) noexcept nogil:
    """Rate of its length along `pull` at the start of the step [m/s]."""
    cdef double rate = 0.0
    cdef int i
    for i in range(w.n):
        rate -= dot3(w.pull[i], start_motion_of(s, s.body + w.anchor[i].handle, w.at[i]).v)
    return rate

cdef inline Vec3 normal_to(Vec3 n) noexcept nogil:
    """A unit vector across a unit vector."""
    cdef Vec3 e = vec3(1.0, 0.0, 0.0)
    if fabs(n.x) > 0.6:
        e = vec3(0.0, 1.0, 0.0)
    e = cross3(n, e)
    return scale3(1.0 / sqrt(dot3(e, e)), e)
