# A step of order 4 of an articulated system that nothing touches: the classical Runge-Kutta method, on request.
#
# Forces of springs, damping and PD control are taken at each stage as they are there, without implicit terms: the step
# must resolve them.

from libc.string cimport memcpy, memset

from rbdyn.kernels.aba cimport aba_inward
from rbdyn.kernels.munthe_kaas cimport Stages, begin, count, finish, next_stage
from rbdyn.model._model cimport CData, CModel
from rbdyn.stepping.joint_forces cimport joint_forces
from rbdyn.stepping.flight.midpoint cimport look_ahead
from rbdyn.stepping.flight.ties cimport add_tie_impulses, free_acceleration
from rbdyn.stepping.scene cimport System
from rbdyn.stepping.scheme cimport explicit_scheme
from rbdyn.stepping.wrenches cimport wrenches_to_bodies

cdef inline void runge_kutta(System* s, double dt) noexcept nogil:
    """q_next, v_next and what the actuators applied, in the mean of the stages."""
    cdef const CModel* m = s.m
    cdef CData* d = &s.ahead
    cdef Stages* stages = &s.work.stages
    cdef double weight
    cdef int stage, k
    look_ahead(s, s.d.q, s.d.v)
    begin(m, d, stages)
    memset(s.work.applied, 0, m.nv * sizeof(double))
    for stage in range(4):
        if stage > 0:
            next_stage(m, d, stages, dt if stage == 3 else 0.5 * dt)
        joint_forces(s, d, dt, explicit_scheme())
        if s.control.has_wrenches:
            wrenches_to_bodies(m, d, &s.control)
        aba_inward(m, d, s.work.tau, s.work.implicit, s.control.has_wrenches)
        free_acceleration(s, d, stages.A)
        weight = 1.0 / 6.0 if stage == 0 or stage == 3 else 1.0 / 3.0
        count(m, stages, weight)
        add_tie_impulses(s, weight * dt)
        for k in range(m.nv):
            s.work.applied[k] += weight * s.work.drive[k]
    finish(m, d, stages, dt)
    memcpy(s.work.q_next, d.q, m.nq * sizeof(double))
    memcpy(s.work.v_next, d.v, m.nv * sizeof(double))
