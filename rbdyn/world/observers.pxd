# Who looks at every step of a World, after it is done: sensors, recordings, a user's function.
#
# A compiled observer derives from Observer and fills in `call` when it is made: a C function and what it is called
# with, so that no Python runs in the step.  Anything else that can be called is called with the World.

from rbdyn.stepping.scene cimport Scene
from rbdyn.world.objects.lock cimport EditLock

cdef struct ObserverCall:
    void (*after_commit)(void* context, const Scene* scene, double t) noexcept nogil   # NULL: a Python callable
    void* context

cdef class Observer:
    cdef ObserverCall call

cdef class Observers:
    cdef list members                    # as they came: (observer, asks for accelerations)
    cdef ObserverCall* call              # (n,)
    cdef int n
    cdef size_t room
    cdef object world                    # weak reference
    cdef EditLock lock
    cdef int add(self, object observer, bint accelerations) except -1
    cdef int remove(self, object observer) except -1
    cdef bint ask_for_accelerations(self) except -1
    cdef bint ask_python(self) noexcept
    cdef int notify(self, const Scene* scene, double t) except -1 nogil
