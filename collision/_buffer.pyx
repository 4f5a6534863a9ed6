"""The contact list of one step: storage that grows, a stable order."""

from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy

from rbdyn.errors import CollisionError


cdef void buffer_init(ContactBuffer* buffer) noexcept nogil:
    """An empty buffer; takes no memory yet."""
    buffer.version = CONTACT_VERSION
    buffer.n = 0
    buffer.capacity = 0
    buffer.point = NULL


cdef void buffer_free(ContactBuffer* buffer) noexcept nogil:
    """Give the memory back; the buffer is empty and may be used again."""
    free(buffer.point)
    buffer_init(buffer)


cdef ContactPoint* push_contact(ContactBuffer* buffer) except NULL nogil:
    """Room for one more contact, counted; the caller fills in every field.

    Pointers taken earlier die when the buffer grows.
    """
    cdef int capacity
    cdef ContactPoint* point
    if buffer.n == buffer.capacity:
        capacity = 2 * buffer.capacity if buffer.capacity > 0 else 64
        if capacity > MAX_CONTACTS:
            with gil:
                raise CollisionError(f"more than {buffer.n} contacts in one step: the scene has collapsed into itself")
        point = <ContactPoint*>realloc(buffer.point, <size_t>capacity * sizeof(ContactPoint))
        if point == NULL:
            with gil:
                raise MemoryError(f"no memory for {capacity} contacts")
        buffer.point = point
        buffer.capacity = capacity
    buffer.n += 1
    return &buffer.point[buffer.n - 1]


cdef inline bint comes_after(const ContactPoint* a, const ContactPoint* b) noexcept nogil:
    if a.shape_a != b.shape_a:
        return a.shape_a > b.shape_a
    if a.shape_b != b.shape_b:
        return a.shape_b > b.shape_b
    return a.feature > b.feature


cdef void merge(const ContactPoint* a, int n_a, const ContactPoint* b, int n_b, ContactPoint* out) noexcept nogil:
    """Two sorted runs into one; of equals, those of a first."""
    cdef int i = 0, j = 0, k
    for k in range(n_a + n_b):
        if j == n_b or (i < n_a and not comes_after(&a[i], &b[j])):
            out[k] = a[i]
            i += 1
        else:
            out[k] = b[j]
            j += 1


cdef int sort_contacts(ContactBuffer* buffer) except -1 nogil:
    """Stable sort by (shape_a, shape_b, feature): one comparison a contact if it is sorted already.

    Bottom-up merge sort: Knuth, TAOCP vol. 3, section 5.2.4.
    """
    cdef int i, width = 1, n = buffer.n
    cdef size_t size = <size_t>n * sizeof(ContactPoint)
    cdef ContactPoint* scratch
    for i in range(1, n):
        if comes_after(&buffer.point[i - 1], &buffer.point[i]):
            break
    else:
        return 0
    scratch = <ContactPoint*>malloc(size)
    if scratch == NULL:
        with gil:
            raise MemoryError(f"no memory to sort {n} contacts")
    while width < n:
        i = 0
        while i < n:
            merge(&buffer.point[i], min(width, n - i), &buffer.point[min(i + width, n)],
                  max(0, min(width, n - i - width)), &scratch[i])
            i += 2 * width
        memcpy(buffer.point, scratch, size)
        width *= 2
    free(scratch)
    return 0
