"""One end of a constraint: a body of a World, or the World itself."""

from rbdyn.spatial._algebra cimport Vec3, add3, mul3
from rbdyn.stepping.links cimport Anchor


cdef class End:
    """Which body, and where its frame is in the one whose pose the scene gives."""

    cdef Anchor anchor(self, Vec3 point):
        """A point in the body's frame [m]."""
        cdef Anchor anchor
        anchor.handle, anchor.at = self.handle, add3(self.p, mul3(self.R, point))
        return anchor

    cdef object given(self):
        """As users write it: None, a single body, or (robot, "body name")."""
        return self.obj if self.body is None else (self.obj, self.body)
