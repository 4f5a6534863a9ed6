"""What all objects of a World have in common."""

from rbdyn.errors import Error, RemovedError
from rbdyn.world import hints
from rbdyn.world.objects.found import found

from cpython.object cimport PyObject_GenericSetAttr


cdef class WorldObject:
    """An object of a World; made by `World.add_*`, dead after `World.remove`.

    Attributes
    ----------
    name : str
        Unique in its World; cannot be changed.
    """

    def __init__(self):
        if type(self) is WorldObject:
            raise Error("objects are made by a World: call world.add_sphere(...), world.add_articulated_system(...)")

    _advice = (hints.OBJECT,)

    def __setattr__(self, name, value):
        try:
            PyObject_GenericSetAttr(self, name, value)
        except AttributeError as error:
            hints.no_setter(self, name, error)

    def __getattr__(self, name):
        hints.no_attribute(self, name)

    cdef int check_alive(self) except -1:
        """RemovedError if the object has left its World."""
        if self.lock is None:
            raise RemovedError(f"{self.name or type(self).__name__!s} is not in a World (any more)")
        return 0

    cdef int forget_contacts(self) except -1:
        """This was moved by hand: its contacts, and what they start the next solve from, are not its any more."""
        world = self._world()
        if world is not None:
            world._forget(self)
        return 0

    @property
    def world(self):
        """The World this object is in."""
        self.check_alive()
        world = self._world()
        if world is None:
            raise RemovedError(f"the World of {self.name!r} is gone")
        return world

    @property
    def asleep(self):
        """Whether it sleeps, bool: `World.sleeping`."""
        self.check_alive()
        return False

    def wake(self):
        """Wake it, and all that it sleeps with; nothing happens to what is awake."""
        self.check_alive()
        self.lock.check_idle()

    @property
    def contacts(self):
        """This object's contacts of the latest detection, list of Contact."""
        return self.world._contacts_on(self, None, None)

    def __reduce__(self):
        return found, (self.world, self.name)

    def __repr__(self):
        return f"{type(self).__name__}({self.name!r})" + ("" if self.lock is not None else " (removed)")
