# Sorting what the sweep sorts: entries along the sweep axis, and the candidate pairs.

cdef enum:
    MANY_PAIRS = 24                # more are sorted by counting

cdef struct Pair:
    int a, b                       # slots, a < b

cdef struct Entry:                 # one shape of the sweep; bounds [m], rounded outwards
    float lo0, hi0                 # along the sweep axis
    float lo1, hi1, lo2, hi2       # along the two others
    int slot


cdef inline bint before(const Entry* a, const Entry* b) noexcept nogil:
    return a.lo0 < b.lo0 or (a.lo0 == b.lo0 and a.slot < b.slot)


cdef inline bint insertion_sort(Entry* entry, int n) noexcept nogil:
    """Sort what moved little since the last step; False if it moved so much that this would be slow."""
    cdef int i, j, moves = 16 * n + 256
    cdef Entry e
    for i in range(1, n):
        if not before(&entry[i], &entry[i - 1]):
            continue
        e = entry[i]
        j = i
        while j > 0 and before(&e, &entry[j - 1]):
            entry[j] = entry[j - 1]
            j -= 1
        entry[j] = e
        moves -= i - j
        if moves < 0:
            return False
    return True


cdef inline void sift_down(Entry* entry, int root, int n) noexcept nogil:
    cdef Entry e = entry[root]
    cdef int child = 2 * root + 1
    while child < n:
        if child + 1 < n and before(&entry[child], &entry[child + 1]):
            child += 1
        if not before(&e, &entry[child]):
            break
        entry[root] = entry[child]
        root = child
        child = 2 * root + 1
    entry[root] = e


cdef inline void heap_sort(Entry* entry, int n) noexcept nogil:
    """Knuth, TAOCP vol. 3, algorithm 5.2.3H."""
    cdef int i
    cdef Entry e
    for i in range(n // 2 - 1, -1, -1):
        sift_down(entry, i, n)
    for i in range(n - 1, 0, -1):
        e = entry[0]
        entry[0] = entry[i]
        entry[i] = e
        sift_down(entry, 0, i)


cdef inline void counting_sort(
        const Pair* source, Pair* target, int n, int* count, int n_slots, bint by_a) noexcept nogil:
    """Stable sort by one of the two slots."""
    cdef int k, key
    for k in range(n_slots + 1):
        count[k] = 0
    for k in range(n):
        count[(source[k].a if by_a else source[k].b) + 1] += 1
    for k in range(n_slots):
        count[k + 1] += count[k]
    for k in range(n):
        key = source[k].a if by_a else source[k].b
        target[count[key]] = source[k]
        count[key] += 1


cdef inline void sort_pairs(Pair* pair, int n, Pair* scratch, int* count, int n_slots) noexcept nogil:
    """Sort the candidates by (a, b), so that contacts come out in the order of their ids.

    More than MANY_PAIRS need `scratch`, (n,), and `count`, (n_slots + 1,).
    """
    cdef int i, j
    cdef Pair p
    if n > MANY_PAIRS:
        counting_sort(pair, scratch, n, count, n_slots, False)
        counting_sort(scratch, pair, n, count, n_slots, True)
        return
    for i in range(1, n):
        p = pair[i]
        j = i
        while j > 0 and (pair[j - 1].a > p.a or (pair[j - 1].a == p.a and pair[j - 1].b > p.b)):
            pair[j] = pair[j - 1]
            j -= 1
        pair[j] = p
