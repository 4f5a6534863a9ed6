"""The contact list of one step: storage that grows, a stable order."""

from libc.stdlib cimport free
from libc.string cimport memcpy

from rbdyn.memory cimport grow, has_grown

from rbdyn.errors import CollisionError


cdef void buffer_init(ContactBuffer* buffer) noexcept nogil:
    """An empty buffer; takes no memory yet."""
    buffer.version = CONTACT_VERSION
    buffer.n = 0
    buffer.capacity = 0
    buffer.limit = MAX_CONTACTS
    buffer.point = NULL


cdef void buffer_free(ContactBuffer* buffer) noexcept nogil:
    """Give the memory back; the buffer is empty and may be used again."""
    free(buffer.point)
    buffer_init(buffer)


cdef bint reserve(ContactBuffer* buffer, int n) noexcept nogil:
    """Make room for n more contacts; False, and nothing changed, beyond the limit or without memory.

    Pointers taken earlier die when the buffer grows.
    """
    cdef size_t room = buffer.capacity
    if n > buffer.limit - buffer.n:
        return False
    if n > buffer.capacity - buffer.n:
        if not has_grown(<void**> &buffer.point, &room, buffer.n + n, sizeof(ContactPoint)):
            return False
        buffer.capacity = <int> room
    return True


cdef int raise_full(const ContactBuffer* buffer) except -1 nogil:
    """The error of a buffer in which `reserve` found no room."""
    with gil:
        if buffer.capacity >= buffer.limit // 2:
            raise CollisionError(
                f"more than {buffer.limit} contacts in one step: very many shapes overlap.  Check poses and sizes, "
                f"keep pairs apart (group, mask, exclude), or raise backend.max_contacts, say to {4 * buffer.limit}")
        raise MemoryError(f"no memory for more than {buffer.n} contacts")


cdef ContactPoint* push_contact(ContactBuffer* buffer) except NULL nogil:
    """Room for one more contact, counted; the caller fills in every field."""
    if buffer.n == buffer.capacity and not reserve(buffer, 1):
        raise_full(buffer)
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


cdef void sort_run(ContactPoint* point, int n, ContactPoint* scratch) noexcept nogil:
    """Bottom-up merge sort, stable: Knuth, TAOCP vol. 3, section 5.2.4."""
    cdef int i, width = 1
    while width < n:
        i = 0
        while i < n:
            merge(&point[i], min(width, n - i), &point[min(i + width, n)], max(0, min(width, n - i - width)),
                  &scratch[i])
            i += 2 * width
        memcpy(point, scratch, <size_t>n * sizeof(ContactPoint))
        width *= 2


cdef int ascending(const ContactPoint* point, int n) noexcept nogil:
    """How many at the front are sorted; n > 0."""
    cdef int i
    for i in range(1, n):
        if comes_after(&point[i - 1], &point[i]):
            return i
    return n


cdef int sort_contacts(ContactBuffer* buffer) except -1 nogil:
    """Stable sort by (shape_a, shape_b, feature): what is not in order at the end is sorted, and merged from behind.

    The rest of the buffer is its scratch.
    """
    cdef int n = buffer.n, i = ascending(buffer.point, n) - 1 if n > 0 else -1, j = n - 2 - i, k
    cdef size_t room = buffer.capacity
    cdef ContactPoint* scratch
    if i == n - 1:
        return 0
    if grow(<void**> &buffer.point, &room, <size_t>n + j + 1, sizeof(ContactPoint)):
        buffer.capacity = <int> room
    scratch = &buffer.point[n]
    if ascending(&buffer.point[i + 1], j + 1) <= j:
        sort_run(&buffer.point[i + 1], j + 1, scratch)
    memcpy(scratch, &buffer.point[i + 1], <size_t>(j + 1) * sizeof(ContactPoint))
    for k in range(n - 1, -1, -1):
        if j < 0:
            break
        if i >= 0 and comes_after(&buffer.point[i], &scratch[j]):
            buffer.point[k] = buffer.point[i]
            i -= 1
        else:
            buffer.point[k] = scratch[j]
            j -= 1
    return 0
