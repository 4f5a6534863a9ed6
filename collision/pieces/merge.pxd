# The contacts that the triangles of a surface have with one shape, made few.

from rbdyn.collision._types cimport ContactBuffer

cdef int mixed_feature(int feature, int piece) noexcept nogil
cdef void merge_contacts(ContactBuffer* out, int first, double near, double margin) noexcept nogil
