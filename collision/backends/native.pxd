from rbdyn.collision._types cimport BodyMotions, ContactBuffer, Pose, PosedShape
from rbdyn.collision.backend cimport CollisionBackend
from rbdyn.collision.broad_phase.sorting cimport Pair
from rbdyn.collision.motion.pair_memory cimport PairMemory, PairNow
from rbdyn.collision.overlap cimport Overlap
from rbdyn.collision.sink cimport Sink


cdef class NativeBackend(CollisionBackend):
    cdef int n_alongside                 # pairs of this step that move side by side, at the front of broad.pair
    cdef bint* stopped                   # (table.n_bodies,) bodies that meet something in this step
    cdef size_t room
    cdef PairMemory memory

    cdef bint is_deep(self, Overlap* left, const PosedShape* a, const PosedShape* b, const Pose* pose) noexcept nogil
    cdef void meet_at_rest(self, const PairNow* known, const PosedShape* a, const PosedShape* b,
                           Sink* sink) noexcept nogil
    cdef void follow(self, Pair pair, const PairNow* known, const PosedShape* a, const PosedShape* b, const Pose* pose,
                     BodyMotions motions, Sink* sink) noexcept nogil
    cdef int find_alongside(self, const Pose* pose, BodyMotions motions, Sink* sink) except -1 nogil
    cdef int detect_c(self, const Pose* pose, BodyMotions motions, int n_bodies, ContactBuffer* out) except -1 nogil
