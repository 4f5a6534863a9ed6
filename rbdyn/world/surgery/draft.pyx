"""A system as it will be, built aside."""

from rbdyn.model.model import Model
from rbdyn.model.state import State

from rbdyn.mechanism._revision cimport Revision
from rbdyn.world.objects.scene_memory cimport build_system, give_back


cdef class Draft:
    """The Model, State and memory of a mechanism that takes, or changes, its place in a World."""

    def __cinit__(self, mechanism, ArticulatedSystem robot, bint fresh):
        self.mechanism, self.robot, self.fresh, self.handle = mechanism, robot, fresh, -1
        self.origin, self.followed = {}, []
        self.model = Model(mechanism)
        self.model.revision_counter = Revision(self.model.revision)   # until the surgery is done: other threads edit on
        self.state = State(self.model)
        build_system(&self.system, &self.model.c, &self.state.c)

    def __dealloc__(self):
        give_back(&self.system)
