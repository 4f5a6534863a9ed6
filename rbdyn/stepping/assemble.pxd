# From constraints to equations and back: the ContactProblem of one step is what the sources write, one after the other.

from rbdyn.contact.after.positions cimport PositionProblem
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.after.velocities cimport Velocities
from rbdyn.stepping.builder cimport Builder, Count, Share
from rbdyn.stepping.scene cimport Scene

cdef enum:                    # places in the table of sources, in assemble.pyx
    CONTACTS
    LIMITS
    MOTORS
    DRY_FRICTION
    VELOCITY_LIMITS
    BALL_LIMITS
    MIMICS
    COUPLINGS
    LOOPS
    JOINTS
    WIRES
    ROLLING
    N_SOURCES

cdef struct Source:           # where constraints come from
    Count (*count)(const Scene*) noexcept nogil
    int (*write)(const Scene*, Builder*) except -1 nogil
    void (*read)(const Scene*, const ContactProblem*, Share) noexcept nogil      # impulses to the bodies

cdef struct Assembly:         # all zero: empty
    Builder builder
    PositionProblem positions  # what corrects depths, in the same terms
    Velocities velocities     # that impulses make
    Share share[N_SOURCES]

cdef void assembly_free(Assembly* a) noexcept
cdef int begin_found(Assembly* a, const Scene* scene, int cones) except -1
cdef int assemble(Assembly* a, const Scene* scene) except -1 nogil
cdef bint write_position_problem(Assembly* a) except -1 nogil
cdef int apply_pushes(Assembly* a, const Scene* scene) except -1 nogil
cdef void forget_late_rows(const Scene* scene) noexcept nogil
cdef bint find_late_rows(const Scene* scene) noexcept nogil
cdef void apply_impulses(Assembly* a, const Scene* scene) noexcept nogil
