# Looking ahead in a step that is half done: its problem and its factors are computed, read, and what they overwrote is
# put back, so that the step goes on as if nobody had looked, to the bit.

from rbdyn.stepping.scene cimport Scene

cdef struct Preview:          # what phases up to `assemble` write: control, scratch and constraints; all zero is empty
    void* bytes
    size_t room

cdef int keep_scratch(Preview* kept, const Scene* s) except -1
cdef void return_scratch(const Preview* kept, Scene* s) noexcept nogil
cdef void free_preview(Preview* kept) noexcept
