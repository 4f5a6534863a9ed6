"""The way back to the start of a step, for steps in several parts: a step is done as a whole, or not at all."""

from libc.stdlib cimport free
from libc.string cimport memcpy

from rbdyn.memory cimport grow
from rbdyn.stepping.scene cimport Scene, SingleState, System


cdef int reserve_start(StepStart* start, const Scene* scene) except -1:
    """Room for the state of all objects, which neither come nor go while steps run."""
    cdef size_t n = scene.n_single * sizeof(SingleState)
    cdef int k
    for k in range(scene.n_system):
        n += (scene.system[k].m.nq + scene.system[k].m.nv) * sizeof(double)
    grow(&start.bytes, &start.room, n, 1)
    return 0


cdef void keep_start(const StepStart* start, const Scene* scene) noexcept nogil:
    """Remember q and v of all objects."""
    cdef char* at = <char*> start.bytes
    cdef const System* s
    cdef int k
    memcpy(at, scene.single_state, scene.n_single * sizeof(SingleState))
    at += scene.n_single * sizeof(SingleState)
    for k in range(scene.n_system):
        s = scene.system + k
        memcpy(at, s.d.q, s.m.nq * sizeof(double))
        at += s.m.nq * sizeof(double)
        memcpy(at, s.d.v, s.m.nv * sizeof(double))
        at += s.m.nv * sizeof(double)


cdef void return_to_start(const StepStart* start, Scene* scene) noexcept nogil:
    """Put them back; all that was computed from the later ones is void."""
    cdef const char* at = <const char*> start.bytes
    cdef System* s
    cdef int k
    memcpy(scene.single_state, at, scene.n_single * sizeof(SingleState))
    at += scene.n_single * sizeof(SingleState)
    for k in range(scene.n_system):
        s = scene.system + k
        memcpy(s.d.q, at, s.m.nq * sizeof(double))
        at += s.m.nq * sizeof(double)
        memcpy(s.d.v, at, s.m.nv * sizeof(double))
        at += s.m.nv * sizeof(double)
        s.d.stage = 0
        s.work.kept = False


cdef void free_start(StepStart* start) noexcept nogil:
    free(start.bytes)
