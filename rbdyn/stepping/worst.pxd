# What the largest error of a solver's steps is of.

from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.solver cimport ContactSolver
from rbdyn.stepping.scene cimport Scene, System

cdef inline void note_worst(ContactSolver solver, const Scene* scene, const ContactProblem* p) noexcept nogil:
    """Note what the largest error so far is of, if it is of the step that ends."""
    cdef const System* r
    cdef int k
    if solver.counts.worst_body >= 0 or solver.counts.worst == 0.0 or p.error != solver.counts.worst:
        return
    for k in range(scene.n_system if p.worst_coordinate >= 0 else 0):
        r = scene.system + k
        if r.work.coordinate <= p.worst_coordinate < r.work.coordinate + r.m.nv:
            solver.counts.worst_body = r.handle
            return
    if 0 <= p.worst_single < scene.n_single:
        solver.counts.worst_body = scene.single[p.worst_single].handle
