# Contacts keep the names that they had in the step before: the solver begins with the impulses of the same name.

from rbdyn.collision._types cimport ContactBuffer

cdef void keep_names(const ContactBuffer* before, ContactBuffer* found, double near) noexcept nogil
