from rbdyn.model._model cimport CData, CModel
from rbdyn.stepping.freedom cimport Freedom, Softness
from rbdyn.stepping.scene cimport System

cdef Freedom free_along() noexcept
cdef Freedom freedom_of(object joint) except *
cdef int drive(Freedom* f, dict numbers) except -1
cdef dict driven_by(const Freedom* f)

cdef class LoopJoints:
    cdef object robot            # keeps the memory
    cdef System* system
