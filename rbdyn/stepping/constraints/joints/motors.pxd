# Actuators near their effort limits as a source of constraints: a compliant row with bounds each.

from libc.string cimport memset

from rbdyn.contact.problem cimport ContactProblem
from rbdyn.stepping.builder cimport Builder, Count, Share
from rbdyn.stepping.scene cimport MOTOR_WITHIN, Scene, System

cdef enum:
    MOTOR_SOURCE = 3          # Key.source; id_a is the handle of the system, id_b the dof

cdef Count count_motors(const Scene* s) noexcept nogil
cdef int write_motors(const Scene* s, Builder* b) except -1 nogil
cdef void read_motors(const Scene* s, const ContactProblem* p, Share share) noexcept nogil
cdef bint find_overloads(const Scene* s) noexcept nogil
cdef bint find_turned(const Scene* s) noexcept nogil

cdef inline void clear_motor_rows(const Scene* s) noexcept nogil:
    """No actuator has a row: a step begins."""
    cdef System* r
    cdef int k, dof
    for k in range(s.n_system):
        r = s.system + k
        if r.work.n_motor_rows:
            for dof in range(r.m.nv):
                r.work.motor[dof] = MOTOR_WITHIN
            r.work.n_motor_rows = 0
        if r.work.n_level:
            memset(r.work.level, 0, r.m.nv * sizeof(int))
            r.work.n_level = 0
