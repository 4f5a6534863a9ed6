# The contact list of one step: storage that grows up to a limit, a stable order.

from rbdyn.collision._types cimport ContactBuffer, ContactPoint

cdef enum:
    CONTACT_VERSION = 5            # layout of ContactPoint and ContactBuffer
    MAX_CONTACTS = 1 << 17         # the limit of a fresh buffer; in a World a contact takes about 3 kB in all

cdef void buffer_init(ContactBuffer* buffer) noexcept nogil
cdef void buffer_free(ContactBuffer* buffer) noexcept nogil
cdef bint reserve(ContactBuffer* buffer, int n) noexcept nogil
cdef int raise_full(const ContactBuffer* buffer) except -1 nogil
cdef ContactPoint* push_contact(ContactBuffer* buffer) except NULL nogil
cdef int sort_contacts(ContactBuffer* buffer) except -1 nogil
