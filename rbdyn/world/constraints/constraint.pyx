"""What all constraints between objects of a World have in common."""

import numpy as np

from rbdyn.errors import Error, RemovedError
from rbdyn.world import hints
from rbdyn.world.objects.found import found

from cpython.object cimport PyObject_GenericSetAttr

from rbdyn.arguments.arrays cimport read_only
from rbdyn.stepping.scene cimport Scene
from rbdyn.stepping.sleeping cimport island_of, wake
from rbdyn.world.constraints.end cimport End
from rbdyn.world.objects.object cimport WorldObject


cdef class Constraint:
    """A constraint between bodies of a World; made by `World.add_stiff_wire` and the like, dead after `World.remove`.

    It leaves with the first object that it hangs on.

    Attributes
    ----------
    name : str
        Unique in its World, among objects too; cannot be changed.
    """

    def __init__(self):
        raise Error("constraints are made by a World: call world.add_stiff_wire(...)")

    _advice = (hints.WIRE,)

    def __setattr__(self, name, value):
        try:
            PyObject_GenericSetAttr(self, name, value)
        except AttributeError as error:
            hints.no_setter(self, name, error)

    def __getattr__(self, name):
        hints.no_attribute(self, name)

    cdef int check_alive(self) except -1:
        """RemovedError if it has left its World."""
        if self.lock is None:
            raise RemovedError(f"{self.name or type(self).__name__!s} is not in a World (any more)")
        return 0

    cdef int check_readable(self) except -1:
        """RemovedError if it has left its World, BusyError while that steps."""
        self.check_alive()
        return self.lock.check_readable()

    cdef int check_drivable(self) except -1:
        """RemovedError if it has left its World, BusyError while that steps; else what sleeps on it wakes."""
        cdef Scene* s
        cdef int i
        self.check_alive()
        self.lock.check_idle()
        s = &self.memory.scene
        for i in range(self.link.n_bodies if s.n_asleep > 0 else 0):
            wake(s, &self.memory.slumber, island_of(s, &self.memory.slumber, s.body + self.link.body[i]))
        return 0

    cdef bint hangs_on(self, WorldObject obj):
        """Whether one of its ends is on that object."""
        cdef End end
        for end in self.held:
            if end.obj is obj:
                return True
        return False

    @property
    def world(self):
        """The World this constraint is in."""
        self.check_alive()
        world = self._world()
        if world is None:
            raise RemovedError(f"the World of {self.name!r} is gone")
        return world

    @property
    def ends(self):
        """What it hangs on, tuple: a single body, (robot, "body name"), or None for the world."""
        cdef End end
        self.check_alive()
        return tuple([end.given() for end in self.held])

    @property
    def impulse(self):
        """What it did in the latest step, one number for each of its rows, (n,) read-only [N s or N m s]."""
        self.check_readable()
        return read_only(np.array([self.link.done.impulse[k] for k in range(self.link.rows)]))

    @property
    def force(self):
        """`impulse` over the time step: the mean of the latest step, (n,) read-only [N or N m]; 0 before it."""
        self.check_readable()
        dt = self.link.done.dt
        return read_only(self.impulse / dt if dt > 0.0 else np.zeros(self.link.rows))

    @property
    def wrench(self):
        """What it exerted on its last end in the latest step, (6,) fresh, world axes: moment [N m], force [N].

        At the point where it hangs, or the origin of a joint's after-frame, at the start of that step.  The first end
        of a joint, or of a wire without points between, gets the opposite, at the same place or at its own.
        """
        self.check_readable()
        dt = self.link.done.dt
        return np.array([self.link.done.wrench[k] / dt if dt > 0.0 else 0.0 for k in range(6)])

    @property
    def active(self):
        """Whether it did anything in the latest step."""
        self.check_readable()
        return any([self.link.done.impulse[k] != 0.0 for k in range(self.link.rows)])

    def __reduce__(self):
        return found, (self.world, self.name)

    def __repr__(self):
        return f"{type(self).__name__}({self.name!r})" + ("" if self.lock is not None else " (removed)")
