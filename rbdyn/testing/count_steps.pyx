"""A compiled observer: the smallest there is, for tests of observers and as a pattern for others."""

from rbdyn.stepping.scene cimport Scene
from rbdyn.world.observers cimport Observer

cdef struct Count:
    long steps
    double time              # [s]
    double height            # [m]


cdef void count_step(void* context, const Scene* scene, double t) noexcept nogil:
    cdef Count* seen = <Count*> context
    seen.steps += 1
    seen.time = t
    if scene.n_single > 0:
        seen.height = scene.single_state[0].p.z


cdef class CountSteps(Observer):
    """Counts the steps of a World, without Python in the step."""

    cdef Count seen

    def __cinit__(self):
        self.call.after_commit, self.call.context = count_step, &self.seen

    @property
    def count(self):
        """Steps since this was made."""
        return self.seen.steps

    @property
    def time(self):
        """Of the World after the latest step [s]."""
        return self.seen.time

    @property
    def height(self):
        """Of the first single body after the latest step, z [m]."""
        return self.seen.height
