# From contacts to equations: the ContactProblem of one step, in arrays that grow by doubling and are used again.

from rbdyn.collision._types cimport ContactBuffer
from rbdyn.contact.problem cimport Block, ContactProblem, Entry3
from rbdyn.stepping.scene cimport Scene

cdef enum:
    CONTACT_SOURCE = 1        # Key.source of contacts

cdef struct Assembly:
    ContactProblem problem
    int contacts, rows, singles          # capacities
    double* frame             # (n, 3, 3)
    double* v_free            # (n, 3)
    Block* block              # (n,) cones
    double* impulse           # (n, 3)
    int* single_a             # (n,)
    int* single_b             # (n,)
    double* arm_a             # (n, 3)
    double* arm_b             # (n, 3)
    int* row_start            # (n + 1,)
    Entry3* row
    double* inverse_mass      # (n_single,)
    double* inverse_inertia   # (n_single, 6)

cdef void assembly_init(Assembly* a) noexcept
cdef void assembly_free(Assembly* a) noexcept
cdef int assemble(Assembly* a, const Scene* scene, const ContactBuffer* contacts) except -1 nogil
cdef void apply_impulses(Assembly* a, const Scene* scene, const ContactBuffer* contacts) noexcept nogil
