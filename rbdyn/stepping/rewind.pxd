from rbdyn.stepping.scene cimport Scene

cdef struct StepStart:        # the state of a scene as it was when a step began; {NULL, 0} is empty
    void* bytes
    size_t room

cdef int reserve_start(StepStart* start, const Scene* scene) except -1
cdef void keep_start(const StepStart* start, const Scene* scene) noexcept nogil
cdef void return_to_start(const StepStart* start, Scene* scene) noexcept nogil
cdef void free_start(StepStart* start) noexcept nogil
