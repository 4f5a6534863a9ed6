# From contacts to equations: the ContactProblem of one step, in arrays that grow by doubling and are used again.

from rbdyn.collision._types cimport ContactBuffer, ContactPoint
from rbdyn.contact.problem cimport ContactProblem, Row
from rbdyn.spatial._algebra cimport Mat3, Vec3
from rbdyn.world._types cimport CSingle, CSystem

cdef enum SlotKind:
    WORLD_SLOT = 0            # the world itself: static
    SINGLE_SLOT = 1
    SYSTEM_SLOT = 2

cdef struct Slot:             # what a collision body index stands for
    int kind                  # SlotKind
    int index                 # of the single body or system
    int body                  # internal body of the system

cdef struct Law:              # contact properties of a pair of materials, as MaterialTable.table lays them out
    double friction, restitution, threshold, static_friction, static_threshold

cdef struct Pairs:            # material pairs with a law of their own, sorted, each in the rows of both materials
    const int* start          # (n_materials + 1,) row of a material: start[a] to start[a + 1]
    const int* other          # the other material, ascending within a row
    const int* law            # index of the pair's Law

cdef struct Scene:            # all of a World that the assembly reads
    CSingle** single
    int n_single
    CSystem** system
    int n_system
    const Slot* slot          # by collision body index
    const int* material       # by shape id
    Pairs pairs               # of materials
    const Law* law            # law[0] is that of all pairs that are not in `pairs`
    double dt                 # [s]
    double erp                # share of the depth corrected in a step
    double erp2               # extra restitution
    double slop               # [m] depth that is left alone
    double erp_speed          # [m/s] largest correction speed

cdef struct Assembly:
    ContactProblem problem
    int contacts, rows, singles          # capacities
    double* frame             # (n, 3, 3)
    double* v_free            # (n, 3)
    double* friction          # (n,)
    unsigned long long* key   # (n,)
    double* impulse           # (n, 3)
    int* single_a             # (n,)
    int* single_b             # (n,)
    double* arm_a             # (n, 3)
    double* arm_b             # (n, 3)
    int* row_start            # (n + 1,)
    Row* row
    double* inverse_mass      # (n_single,)
    double* inverse_inertia   # (n_single, 6)

cdef void assembly_init(Assembly* a) noexcept
cdef void assembly_free(Assembly* a) noexcept
cdef int assemble(Assembly* a, const Scene* scene, const ContactBuffer* contacts) except -1 nogil
cdef void apply_impulses(Assembly* a, const Scene* scene, const ContactBuffer* contacts) noexcept nogil
