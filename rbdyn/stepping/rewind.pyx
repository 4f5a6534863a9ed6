"""The way back to the start of a step, for steps in several parts: a step is done as a whole, or not at all."""

from libc.stdlib cimport free
from libc.string cimport memcpy

from rbdyn.contact.solver cimport ContactSolver, keep_memory, return_memory
from rbdyn.contact.warm_start cimport release
from rbdyn.memory cimport grow
from rbdyn.stepping.builder cimport Builder
from rbdyn.stepping.pair_history cimport copy_history, release_history
from rbdyn.stepping.records cimport keep_records, return_records
from rbdyn.stepping.scene cimport Scene, SingleState, System


cdef int reserve_start(StepStart* start, const Scene* scene) except -1:
    """Room for the state of all objects, which neither come nor go while steps run."""
    cdef size_t n = scene.n_single * sizeof(SingleState)
    cdef int k
    for k in range(scene.n_system):
        n += (scene.system[k].m.nq + scene.system[k].m.nv) * sizeof(double)
    grow(&start.bytes, &start.room, n, 1)
    return 0


cdef int keep_start(StepStart* start, const Scene* scene, const Builder* builder, ContactSolver contact,
                    ContactSolver position) except -1 nogil:
    """Remember q and v of all objects, and what contacts of the step before leave to the next."""
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
    copy_history(&start.history, &builder.history)
    keep_records(scene)
    keep_memory(contact, &start.contact)
    keep_memory(position, &start.position)
    return 0


cdef int return_to_start(StepStart* start, Scene* scene, Builder* builder, ContactSolver contact,
                         ContactSolver position) except -1 nogil:
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
    copy_history(&builder.history, &start.history)
    return_records(scene)
    return_memory(contact, &start.contact)
    return_memory(position, &start.position)
    return 0


cdef void free_start(StepStart* start) noexcept:
    free(start.bytes)
    release_history(&start.history)
    release(&start.contact.memory)
    release(&start.position.memory)
