# The contact list of one step: storage that grows, a stable order.

from rbdyn.collision._types cimport ContactBuffer, ContactPoint

cdef enum:
    CONTACT_VERSION = 1            # layout of ContactPoint and ContactBuffer
    MAX_CONTACTS = 1 << 22         # more than this is an error, not a scene

cdef void buffer_init(ContactBuffer* buffer) noexcept nogil
cdef void buffer_free(ContactBuffer* buffer) noexcept nogil
cdef ContactPoint* push_contact(ContactBuffer* buffer) except NULL nogil
cdef int sort_contacts(ContactBuffer* buffer) except -1 nogil
