from rbdyn.collision.backend cimport CollisionBackend
from rbdyn.contact.solver cimport ContactSolver
from rbdyn.stepping.pipeline cimport Pipeline
from rbdyn.stepping.scene cimport Scene
from rbdyn.world.objects.lock cimport EditLock
from rbdyn.world.observers cimport Observers
from rbdyn.world.registry.registry cimport Registry
from rbdyn.world.snapshot.insides cimport Insides
from rbdyn.signals cimport Signals

cdef class World:
    cdef EditLock lock                    # None until __init__ is done
    cdef Registry registry
    cdef Observers observers
    cdef Scene* scene                     # the registry's
    cdef tuple backends                   # the three below
    cdef readonly CollisionBackend collision
    cdef readonly ContactSolver contact
    cdef readonly ContactSolver position_solver           # of what corrects depths
    cdef Pipeline pipeline                # its steps
    cdef readonly long steps              # steps done
    cdef double whole_step                # [s]; the scene's is that of a part of it
    cdef double time_before               # [s] at the latest change of the time step
    cdef long steps_before                # done until then
    cdef readonly Insides _insides        # where all of this is, for snapshots
    cdef readonly object _surgery         # Surgery: what exchanges systems
    cdef readonly object _edits           # Edits: what changes objects in place
    cdef object queries                   # Queries: what looks at everything as it is now
    cdef object __weakref__

    cdef int check(self) except -1
    cdef Insides begin_insides(self)
    cdef Pipeline made_pipeline(self, int parts)
    cdef int first_half(self, Signals* signals) except -1 nogil
    cdef int second_half(self, Signals* signals) except -1 nogil
    cdef int ask_laws(self) except -1 nogil
    cdef int raise_divergence(self) except -1 nogil
    cdef double time_now(self) noexcept nogil
    cdef bint asks_python(self) except -1
    cdef int begin_steps(self) except -1
    cdef int take_steps(self, long count, bint first) except -1
    cdef int begin_step(self) except -1
    cdef int end_step(self, bint half) except -1
