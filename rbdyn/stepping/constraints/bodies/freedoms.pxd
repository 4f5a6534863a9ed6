# Rows along what a joint without coordinates allows: stepping/freedom.pxd.  Loop joints and joints between bodies share
# them; each says how a row acts along one of its directions.

from rbdyn.contact.problem cimport Key
from rbdyn.stepping.builder cimport Builder, Count
from rbdyn.stepping.freedom cimport Freedom, Softness
from rbdyn.stepping.scene cimport Scene

# The row begun last acts along direction k of six, times a sign.
ctypedef int (*AddDirection)(Builder* b, const Scene* s, void* joint, int k, double sign) except -1 nogil

cdef enum:                    # rows that a joint has in this step, as bits: of what could be passed, and what acts
    NEAR_LOWER = 1
    NEAR_UPPER = 2
    NEAR_BELOW = 4
    NEAR_ABOVE = 8
    BY_SPRING = 16            # spring, damper and rotor
    BY_MOTOR = 32

cdef struct Along:            # a joint in a step
    const Freedom* freedom
    int kind                  # JointKind
    int near
    double q                  # where it stands, with one degree of freedom [rad or m]
    double gamma              # positions follow from (1 - gamma) u + gamma u+
    bint mixed                # in this step, and with another gamma in others
    double[6] now, then, bias      # velocities at the start, and at the end without impulses; their rate meanwhile
    void* joint
    AddDirection add
    Key key                   # without its feature

cdef struct Reading:          # what an impulse was
    int direction
    double sign

cdef int near_ends(const Scene* s, const Freedom* f, double q, double now, double then) noexcept nogil
cdef int forces_of(const Freedom* f) noexcept nogil
cdef Count count_along(const Freedom* f, int kind, int near) noexcept nogil
cdef int write_along(const Scene* s, Builder* b, const Along* a) except -1 nogil
cdef Reading reading_of(int feature, int kind) noexcept nogil
cdef void soften(const Scene* s, Builder* b, const Softness* soft, const double* error) noexcept nogil
cdef void soften_stop(const Scene* s, Builder* b, const Softness* soft, double gap) noexcept nogil
