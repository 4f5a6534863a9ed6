"""Wires: ropes and rods between points of bodies."""

import math

import numpy as np

from rbdyn.arguments import number
from rbdyn.errors import Error

from rbdyn.arguments.arrays cimport read_only
from rbdyn.memory cimport close_arena, open_arena
from rbdyn.spatial._algebra cimport Vec3, mul3, sub3, transpose3, vec3
from rbdyn.stepping.constraints.bodies.tensions cimport measure_for_law
from rbdyn.stepping.constraints.bodies.wire cimport BOTH, SPRING, STIFF, STRETCH, excess, lay_out_wire, measure, sign_of
from rbdyn.stepping.links cimport WIRE_LINK
from rbdyn.world.constraints.constraint cimport Constraint
from rbdyn.world.constraints.end cimport End
from rbdyn.world.constraints.present cimport present_place

WIRE_TYPES = ("stiff", "compliant", "custom", "spring")
STRETCH_TYPES = ("stretch_resistant", "compression_resistant", "both")


cdef class Wire(Constraint):
    """A wire, or a spring, between points of bodies, straight from one to the next, without mass and friction.

    Made by `World.add_stiff_wire`, `add_compliant_wire`, `add_custom_wire` and `add_spring`.

    Attributes
    ----------
    law : callable or None
        Of a custom wire: tension(length, rate).
    """

    def __dealloc__(self):
        close_arena(&self.arrays)

    cdef int begin(self, list ends, object points, object ratios) except -1:
        """Lay it through these points, in the frames of the bodies [m]."""
        cdef End end
        cdef int i, n = len(ends)
        cdef object p
        lay_out_wire(&self.wire, &self.arrays, n)
        open_arena(&self.arrays)
        lay_out_wire(&self.wire, &self.arrays, n)
        self.held, self.link, self.kind = tuple(ends), &self.wire.link, WIRE_LINK
        self.given = [(float(p[0]), float(p[1]), float(p[2])) for p in points]
        self.link.rows = 1
        for i in range(n):
            end, p = ends[i], points[i]
            self.wire.anchor[i] = end.anchor(vec3(p[0], p[1], p[2]))
            self.wire.link.body[i] = end.handle
            self.wire.falls[i] = ratios[i] if i < n - 1 else 0.0
        self.wire.resists = STRETCH
        return 0

    cdef double run(self) except? -1.0:
        """How it runs now; returns the distance along it [m]."""
        cdef int i
        for i in range(self.wire.n):
            self.wire.at[i] = present_place(&self.memory.scene, self.wire.anchor[i].handle, self.wire.anchor[i].at)
        self.wire.distance = measure(&self.wire, self.wire.at)
        return self.wire.distance

    cdef int ask(self) except -1:
        """Ask the law for the tension of this part of a step."""
        measure_for_law(&self.memory.scene, &self.wire)
        try:
            tension = self.law(self.wire.distance, self.wire.rate)
        except Exception as error:
            raise Error(f"the law of wire {self.name!r} raised {type(error).__name__}: {error}"[:1900]) from error
        self.wire.tension = number(tension, f"what the law of wire {self.name!r} returns", unit="[N]")
        return 0

    def _settle(self, length, wire_type, stretch_type, restitution=0.0, stiffness=0.0, damping=0.0, law=None):
        """What it is, checked by World.add_*, but for the length: by default the present distance."""
        distance = self.run()
        if length is None and not distance > 0.0:
            raise Error("the points of the wire are in one place: say which length it has")
        self.wire.kind = WIRE_TYPES.index(wire_type)
        self.wire.stiffness, self.wire.damping = stiffness, damping
        self.law = law
        self.wire.length = distance if length is None else length
        self.wire.resists = STRETCH_TYPES.index(stretch_type)
        self.wire.restitution = restitution

    @property
    def wire_type(self):
        """"stiff", "compliant", "custom" or "spring"."""
        self.check_alive()
        return WIRE_TYPES[self.wire.kind]

    @property
    def stiffness(self):
        """Of what is compliant [N/m]; 0 for the others."""
        self.check_alive()
        return self.wire.stiffness

    @property
    def damping(self):
        """Of what is compliant [N s/m]; 0 for the others."""
        self.check_alive()
        return self.wire.damping

    @property
    def stretch_type(self):
        """What it resists: "stretch_resistant", "compression_resistant" or "both"."""
        self.check_alive()
        return STRETCH_TYPES[self.wire.resists]

    @property
    def length(self):
        """Its own length, that of a spring at rest [m].  What hangs on it is led after it in positions: see `speed`."""
        self.check_alive()
        return self.wire.length

    @length.setter
    def length(self, value):
        if self.wire.kind == SPRING:
            value = number(value, "length", low=0.0, unit="[m]")
        else:
            value = number(value, "length", above=0.0, unit="[m]")
        self.check_alive()
        self.lock.check_editable()
        self.wire.length = value

    @property
    def speed(self):
        """With which a winch lets a stiff wire out [m/s]; negative: winds it up.  0 at first.

        `length` follows.  What hangs on a taut wire moves with the drum: it starts by a blow if this is set at once,
        and goes on moving if the wire is cut.  Where nothing is left to wind up the winch stops.
        """
        self.check_alive()
        return self.wire.speed

    @speed.setter
    def speed(self, value):
        value = number(value, "speed", unit="[m/s]")
        self.check_alive()
        if self.wire.kind != STIFF:
            raise Error(f"only stiff wires have winches; {self.name!r} is {self.wire_type}")
        self.lock.check_editable()
        self.wire.speed = value

    @property
    def distance(self):
        """The way along its points, as often as it runs there [m]."""
        self.check_readable()
        return self.run()

    @property
    def stretch(self):
        """`distance` less `length` [m]: negative where it is slack."""
        self.check_readable()
        return self.run() - self.wire.length

    @property
    def error(self):
        """How far it is beyond what it allows [m]; if it resists both, its stretch."""
        self.check_readable()
        self.run()
        return excess(&self.wire) if self.wire.resists == BOTH else max(0.0, excess(&self.wire))

    @property
    def points(self):
        """Where it runs, (n, 3) fresh, world [m]."""
        self.check_readable()
        self.run()
        return np.array([[self.wire.at[i].x, self.wire.at[i].y, self.wire.at[i].z] for i in range(self.wire.n)])

    @property
    def mounts(self):
        """Where its points are on `ends`, in the frames of these bodies, (n, 3) fresh [m]."""
        cdef End end
        cdef Vec3 at, p
        cdef int i
        self.check_alive()
        found = []
        for i in range(self.wire.n):
            end, at = self.held[i], self.wire.anchor[i].at
            p = end.anchor(vec3(self.given[i][0], self.given[i][1], self.given[i][2])).at
            if p.x == at.x and p.y == at.y and p.z == at.z:      # to the last bit
                found.append(self.given[i])
            else:
                p = mul3(transpose3(end.R), sub3(at, end.p))
                found.append((p.x, p.y, p.z))
        return np.array(found)

    @property
    def restitution(self):
        """Share of the speed that a stiff wire throws back when it becomes taut."""
        self.check_alive()
        return self.wire.restitution

    @property
    def direction(self):
        """Unit vector from its first point to the next, (3,) world; 0 where they meet."""
        way = np.diff(self.points[:2], axis=0)[0]
        size = math.sqrt(way @ way)
        return way / size if size > 0.0 else way

    @property
    def ratios(self):
        """How often it runs between a point and the next, (n - 1,) read-only."""
        self.check_alive()
        return read_only(np.array([self.wire.falls[i] for i in range(self.wire.n - 1)]))

    @property
    def impulse(self):
        """What it did in the latest step [N s]; positive pulls its ends together."""
        self.check_readable()
        return sign_of(&self.wire) * self.link.done.impulse[0] + 0.0

    @property
    def force(self):
        """Its mean tension in the latest step [N]; positive pulls its ends together, 0 before the first step.

        An impulse acts from the middle of one step to the middle of the next.  A velocity that was set by hand begins
        with a step: the first one then has half of the impulse that keeps its bodies on their curve.
        """
        self.check_readable()
        return self.impulse / self.link.done.dt if self.link.done.dt > 0.0 else 0.0

    @property
    def tension(self):
        """The same as `force` [N]."""
        return self.force

    def __repr__(self):
        if self.lock is None:
            return Constraint.__repr__(self)
        return (f"{type(self).__name__}({self.name!r}, {self.wire_type}, {self.stretch_type}, "
                f"length {self.wire.length:.4g} m, stretch {self.stretch:.3g} m, {self.force:.4g} N)")
