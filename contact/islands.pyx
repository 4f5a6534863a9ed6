"""Which blocks act on one another: union-find over single bodies and normalised coordinates."""

from libc.string cimport memset

from rbdyn.contact.operator cimport Contact, Island, Line, LineBlock, Operator
from rbdyn.memory cimport grow


cdef inline int root_of(int* node, int i) noexcept nogil:
    """The node that stands for the island of node i; paths are halved on the way (Tarjan and van Leeuwen, 1984)."""
    while node[i] != i:
        node[i] = node[node[i]]
        i = node[i]
    return i


cdef inline int join(int* node, int first, int i) noexcept nogil:
    """Put node i into the island of `first`, or begin with it if that is -1; returns a node of the island."""
    cdef int a
    if first < 0:
        return i
    a, i = root_of(node, first), root_of(node, i)
    if a < i:
        node[i] = a
    else:
        node[a] = i
    return first


cdef int join_contact(const Operator* G, const Contact* k) noexcept nogil:
    """All that a contact acts on; returns one of its nodes, -1 if it acts on nothing."""
    cdef int first = -1, j
    if k.a.body >= 0:
        first = join(G.node, first, k.a.body)
    if k.b.body >= 0:
        first = join(G.node, first, k.b.body)
    for j in range(k.row, k.row_end):
        first = join(G.node, first, G.n_single + G.row[j].coordinate)
    return first


cdef int join_rows(const Operator* G, const LineBlock* k) noexcept nogil:
    """All that the rows of a block act on."""
    cdef const Line* line
    cdef int first = -1, r, j
    for r in range(k.first, k.first + k.rows):
        line = G.line + r
        if line.a.body >= 0:
            first = join(G.node, first, line.a.body)
        if line.b.body >= 0:
            first = join(G.node, first, line.b.body)
        for j in range(line.entry, line.entry_end):
            first = join(G.node, first, G.n_single + G.entry[j].coordinate)
    return first


cdef int find_islands(Operator* G) except -1 nogil:
    """Number the islands in the order of their first block, and write each block's; nothing is marked."""
    cdef int nodes = G.n_single + G.n_coordinates, count = 0, i, first
    cdef int* number
    G.reallocations += grow(<void**> &G.node, &G.node_capacity, 2 * nodes, sizeof(int))
    G.reallocations += grow(<void**> &G.island, &G.island_capacity, G.n + G.n_blocks, sizeof(Island))
    number = G.node + nodes
    for i in range(nodes):
        G.node[i] = i
        number[i] = -1
    for i in range(G.n):
        G.contact[i].island = join_contact(G, G.contact + i)
    for i in range(G.n_blocks):
        G.block[i].island = join_rows(G, G.block + i)
    for i in range(G.n + G.n_blocks):
        first = G.contact[i].island if i < G.n else G.block[i - G.n].island
        if first >= 0:
            first = root_of(G.node, first)
            if number[first] < 0:
                number[first] = count
                count += 1
            first = number[first]
        else:                                          # it acts on nothing
            first = count
            count += 1
        if i < G.n:
            G.contact[i].island = first
        else:
            G.block[i - G.n].island = first
    memset(G.island, 0, count * sizeof(Island))
    G.n_islands = count
    return 0
