"""Couplings of joint coordinates, of one robot or several."""

from rbdyn.arguments import number
from rbdyn.world.objects.joints.drives import softness_numbers

from rbdyn.memory cimport close_arena, open_arena
from rbdyn.stepping.constraints.joints.couplings cimport CouplingTerm, coupling_error, lay_out_coupling
from rbdyn.stepping.links cimport COUPLING_LINK
from rbdyn.world.constraints.constraint cimport Constraint
from rbdyn.world.objects.articulated_system cimport ArticulatedSystem
from rbdyn.world.objects.object cimport WorldObject
from rbdyn.world.objects.scene_memory cimport SceneMemory


cdef class Coupling(Constraint):
    """A sum of joint coordinates, each times its coefficient, that is kept at an offset: gears, differentials, locks.

    Made by `World.add_coupling`.  It leaves with the first robot that it couples.  Its impulse times a coefficient is
    what acted on that joint.

    Attributes
    ----------
    coefficients : dict
        (robot, "joint") -> coefficient.
    """

    def __dealloc__(self):
        close_arena(&self.arrays)

    cdef int begin(self, SceneMemory memory, dict coefficients) except -1:
        """Write down the coordinates, checked by the caller."""
        cdef ArticulatedSystem robot
        cdef CouplingTerm* t
        cdef int i, n = len(coefficients)
        lay_out_coupling(&self.c, &self.arrays, n)
        open_arena(&self.arrays)
        lay_out_coupling(&self.c, &self.arrays, n)
        self.coefficients, self.held, self.memory = coefficients, (), memory
        self.link, self.kind = &self.c.link, COUPLING_LINK
        self.link.rows = 1
        robots = {end[0] for end in coefficients}
        self.link.near, self.link.holds = True, len(robots) > 1
        for i, ((one, name), value) in enumerate(coefficients.items()):
            robot = one
            t = self.c.term + i
            t.handle, t.coefficient = robot.system().handle, value
            t.q, t.dof = robot.model.joint_q_index(name), robot.model.joint_v_index(name)
            self.link.body[i] = t.handle + robot.model.find(robot.mechanism.find_joint(name).frame_after).body
        return 0

    cdef double open_by(self):
        """What the sum is more than the offset."""
        return coupling_error(&self.memory.scene, &self.c)

    cdef bint hangs_on(self, WorldObject obj):
        """Whether it couples a joint of that robot."""
        return any([robot is obj for robot, _ in self.coefficients])

    @property
    def ends(self):
        """What it couples, tuple of (robot, "joint")."""
        self.check_alive()
        return tuple(self.coefficients)

    @property
    def offset(self):
        """What the sum is kept at; can be set between steps."""
        self.check_alive()
        return self.c.offset

    @offset.setter
    def offset(self, value):
        value = number(value, "offset")
        self.check_alive()
        self.lock.check_editable()
        self.c.offset = value

    @property
    def softness(self):
        """How far it gives way, and what damps that; set with `set_softness`."""
        self.check_alive()
        return self.c.soft.softness, self.c.soft.damping

    def set_softness(self, softness, damping=0.0):
        """Let it give way, as a spring with a damper; it does not to begin with.

        Parameters
        ----------
        softness : float
            How far the sum goes for a unit of `force`; 0: not at all.
        damping : float
            Force for a unit of its rate beside it.

        Raises
        ------
        Error
            If a number is wrong, or damping comes without softness; nothing changes then.
        """
        (_, soft), (_, damped) = softness_numbers(number(softness, "softness", low=0.0),
                                                  number(damping, "damping", low=0.0))
        self.check_alive()
        self.lock.check_editable()
        self.c.soft.softness, self.c.soft.damping = soft, damped

    @property
    def error(self):
        """What the sum is more than the offset now."""
        self.check_readable()
        return self.open_by()
