from rbdyn.archive cimport Archive
from rbdyn.collision._types cimport ContactBuffer
from rbdyn.collision.backend cimport CollisionBackend
from rbdyn.contact.problem cimport STAGES
from rbdyn.contact.solver cimport ContactSolver
from rbdyn.stepping.assemble cimport Assembly
from rbdyn.stepping.pair_history cimport PairTable
from rbdyn.stepping.scene cimport Scene
from rbdyn.stepping.sleeping cimport Slumber

cdef int keep_contacts(Archive* a, Assembly* assembly, const Scene* s, ContactBuffer* found, bint known) except -1
cdef int keep_solver(Archive* a, ContactSolver solver) except -1
cdef int keep_counts(Archive* a, ContactSolver solver) except -1
cdef int keep_overlaps(Archive* a, PairTable* o) except -1
cdef int keep_trails(Archive* a, PairTable* t) except -1
cdef int keep_slumber(Archive* a, const Scene* s, Slumber* z) except -1
cdef int keep_pairs(Archive* a, CollisionBackend backend) except -1

cdef inline size_t counted() noexcept:
    """How many bytes `keep_counts` passes of both solvers of a World."""
    return 2 * ((3 + STAGES) * sizeof(long) + sizeof(double) + sizeof(int))
