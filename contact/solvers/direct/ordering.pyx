"""Approximate minimum degree; the pattern of the factor comes with it."""

from libc.string cimport memcpy, memset

from rbdyn.contact.operator cimport Contact, Line, Operator, further_line
from rbdyn.contact.solvers.direct.unknowns cimport constraints
from rbdyn.contact.solvers.direct.workspace cimport Below, Direct, Node

cdef struct Graph:            # the quotient graph, in Direct.scratch
    int elements             # so far: cliques, then one for each eliminated node
    int used                 # of Direct.below
    int* start               # element -> its nodes, below[start:end]
    int* end
    int* weight              # their unknowns; -1 once it is a part of another element
    int* outside             # their unknowns that the newest element lacks
    int* stamp               # when that was counted
    int* first               # node -> its elements, list[first:first + count]
    int* count
    int* list
    int* seen                # node -> the latest element it was put into
    int* place               # node -> when it was eliminated, -1 before
    int* order               # the inverse
    int* next_node           # nodes of one degree, in a doubly linked list
    int* last_node
    int* degree              # about how many unknowns are its neighbours
    int* head                # (unknowns + 1,) first node of each degree


cdef int clique_sizes(const Operator* G) noexcept nogil:
    """Nodes of all constraints, counted each time."""
    cdef const Line* k
    cdef int i, total = 0
    for i in range(G.n):
        total += 2 + G.contact[i].row_end - G.contact[i].row
    for i in range(G.n_lines):
        total += 2 + G.line[i].entry_end - G.line[i].entry
        k = further_line(G.line + i)
        while k != NULL:
            total += 2
            k = further_line(k)
    return total


cdef size_t scratch_size(const Operator* G, int nodes) noexcept nogil:
    """Integers that the quotient graph takes."""
    return 5 * <size_t> (constraints(G) + nodes) + 8 * <size_t> nodes + clique_sizes(G) + 6 * <size_t> nodes + 1


cdef Graph open_graph(const Direct* S, const Operator* G) noexcept nogil:
    """The arrays of the graph, without elements."""
    cdef Graph q
    cdef size_t elements = constraints(G) + S.nodes, nodes = S.nodes
    q.start = S.scratch
    q.end = q.start + elements
    q.weight = q.end + elements
    q.outside = q.weight + elements
    q.stamp = q.outside + elements
    q.first = q.stamp + elements
    q.count = q.first + nodes
    q.seen = q.count + nodes
    q.place = q.seen + nodes
    q.order = q.place + nodes
    q.next_node = q.order + nodes
    q.last_node = q.next_node + nodes
    q.degree = q.last_node + nodes
    q.head = q.degree + nodes
    q.list = q.head + S.n + 1
    q.elements = q.used = 0
    memset(q.stamp, 0xff, elements * sizeof(int))
    memset(q.count, 0, nodes * sizeof(int))
    memset(q.seen, 0xff, nodes * sizeof(int))
    memset(q.place, 0xff, nodes * sizeof(int))
    memset(q.degree, 0, nodes * sizeof(int))
    memset(q.head, 0xff, (S.n + 1) * sizeof(int))
    return q


cdef inline void put(Direct* S, Graph* q, int node) noexcept nogil:
    """One more node of the newest element."""
    S.below[q.used].node = node
    q.used += 1
    q.weight[q.elements] += S.node[node].size
    q.count[node] += 1


cdef inline void open_clique(Graph* q) noexcept nogil:
    """The next element, without nodes."""
    q.start[q.elements], q.weight[q.elements] = q.used, 0


cdef inline void put_bodies(Direct* S, Graph* q, int a, int b) noexcept nogil:
    """The bodies of a constraint, which may be one."""
    if a >= 0:
        put(S, q, S.node_of_body[a])
    if b >= 0 and b != a:
        put(S, q, S.node_of_body[b])


cdef inline void close_clique(Graph* q) noexcept nogil:
    q.end[q.elements] = q.used
    q.elements += 1


cdef void read_contacts(Direct* S, const Operator* G, Graph* q) noexcept nogil:
    """An element for each contact, unless it joins the two bodies of the one before it."""
    cdef const Contact* k
    cdef const Contact* before = NULL
    cdef int i, j
    for i in range(G.n):
        k = G.contact + i
        if before != NULL and k.row == k.row_end and before.row == before.row_end and (
                k.a.body == before.a.body and k.b.body == before.b.body):
            continue
        before = k
        open_clique(q)
        put_bodies(S, q, k.a.body, k.b.body)
        for j in range(k.row, k.row_end):
            put(S, q, S.node_of_coordinate[G.row[j].coordinate])
        close_clique(q)


cdef inline bint is_like(const Operator* G, const Line* k, const Line* l) noexcept nogil:
    """Whether two rows touch the same, in one order."""
    cdef int j, n = k.entry_end - k.entry
    if k.a.body != l.a.body or k.b.body != l.b.body or l.entry_end - l.entry != n or (
            k.a.further > 0 or l.a.further > 0):
        return False
    for j in range(n):
        if G.entry[k.entry + j].coordinate != G.entry[l.entry + j].coordinate:
            return False
    return True


cdef void read_lines(Direct* S, const Operator* G, Graph* q) noexcept nogil:
    """An element for each row that is no contact's, unless it touches what the row before it does."""
    cdef const Line* k
    cdef const Line* more
    cdef int i, j, node
    for i in range(G.n_lines):
        k = more = G.line + i
        if i > 0 and is_like(G, k, k - 1):
            continue
        open_clique(q)
        while more != NULL:
            put_bodies(S, q, more.a.body, more.b.body)
            more = further_line(more)
        for j in range(k.entry, k.entry_end):
            node = S.node_of_coordinate[G.entry[j].coordinate]
            if q.seen[node] != q.elements:             # a row may name a coordinate twice
                q.seen[node] = q.elements
                put(S, q, node)
        close_clique(q)


cdef void list_elements(Direct* S, Graph* q) noexcept nogil:
    """The elements of each node, and its degree."""
    cdef int e, j, node, total = 0
    memset(q.seen, 0xff, S.nodes * sizeof(int))
    for node in range(S.nodes):
        q.first[node] = total
        total += q.count[node]
        q.count[node] = 0
    for e in range(q.elements):
        for j in range(q.start[e], q.end[e]):
            node = S.below[j].node
            q.list[q.first[node] + q.count[node]] = e
            q.count[node] += 1
            q.degree[node] += q.weight[e] - S.node[node].size


cdef inline void link(Graph* q, int node, int degree) noexcept nogil:
    """File a node under its degree, before all others of it."""
    q.degree[node] = degree
    q.next_node[node], q.last_node[node] = q.head[degree], -1
    if q.head[degree] >= 0:
        q.last_node[q.head[degree]] = node
    q.head[degree] = node


cdef inline void unlink(Graph* q, int node) noexcept nogil:
    """Take a node from where it was filed."""
    cdef int after = q.next_node[node], before = q.last_node[node]
    if after >= 0:
        q.last_node[after] = before
    if before >= 0:
        q.next_node[before] = after
    else:
        q.head[q.degree[node]] = after


cdef void join_elements(Direct* S, Graph* q, int node) noexcept nogil:
    """The new element: all live nodes that share an element with this one, whose elements are gone then."""
    cdef int new = q.elements, i, j, e, other
    q.start[new], q.weight[new] = q.used, 0
    for i in range(q.first[node], q.first[node] + q.count[node]):
        e = q.list[i]
        if q.weight[e] < 0:
            continue
        for j in range(q.start[e], q.end[e]):
            other = S.below[j].node
            if q.place[other] >= 0 or q.seen[other] == new:
                continue
            q.seen[other] = new
            S.below[q.used].node = other
            q.used += 1
            q.weight[new] += S.node[other].size
        q.weight[e] = -1
    q.end[new] = q.used
    q.elements += 1


cdef void count_outside(Direct* S, Graph* q, int new) noexcept nogil:
    """The nodes of the new element: off their lists, with it instead of what is gone; what the others have outside."""
    cdef int i, j, e, node, kept
    for i in range(q.start[new], q.end[new]):
        node = S.below[i].node
        unlink(q, node)
        kept = q.first[node]
        for j in range(q.first[node], q.first[node] + q.count[node]):
            e = q.list[j]
            if q.weight[e] < 0:
                continue
            q.list[kept] = e
            kept += 1
            if q.stamp[e] != new:
                q.stamp[e], q.outside[e] = new, q.weight[e]
            q.outside[e] -= S.node[node].size
        q.list[kept] = new
        q.count[node] = kept + 1 - q.first[node]


cdef int file_again(Direct* S, Graph* q, int new, int left) noexcept nogil:
    """The nodes of the new element under their new degrees; the least of these.  `left`: unknowns not yet eliminated.

    An element without anything outside is a part of the new one.
    """
    cdef int i, j, e, node, degree, least = S.n
    for i in range(q.start[new], q.end[new]):
        node = S.below[i].node
        degree = q.weight[new] - S.node[node].size
        for j in range(q.first[node], q.first[node] + q.count[node] - 1):
            e = q.list[j]
            if q.outside[e] > 0:
                degree += q.outside[e]
            else:
                q.weight[e] = -1
        degree = min(degree, left - S.node[node].size)
        link(q, node, degree)
        least = min(least, degree)
    return least


cdef void number_again(Direct* S, const Graph* q) noexcept nogil:
    """Nodes by the order of their elimination, and what lies below each of them in that order."""
    cdef Node* old = S.node + S.nodes
    cdef int* place
    cdef Below b
    cdef int k, i, j
    memcpy(old, S.node, S.nodes * sizeof(Node))
    for k in range(S.nodes):
        S.node[k] = old[q.order[k]]
        place = S.node_of_body if S.node[k].size > 1 else S.node_of_coordinate
        place[S.node[k].object] = k
        for i in range(S.node[k].start, S.node[k].end):
            b.node, b.at = q.place[S.below[i].node], 0
            j = i
            while j > S.node[k].start and S.below[j - 1].node > b.node:
                S.below[j] = S.below[j - 1]
                j -= 1
            S.below[j] = b


cdef bint order_nodes(Direct* S, const Operator* G, double most) noexcept nogil:
    """Number the nodes anew and write `below`; False if a factorisation takes more than `most` multiplications."""
    cdef Graph q = open_graph(S, G)
    cdef int k, node, new, least = 0, left = S.n
    cdef double size, work = 0.0
    read_contacts(S, G, &q)
    read_lines(S, G, &q)
    list_elements(S, &q)
    for node in range(S.nodes - 1, -1, -1):
        link(&q, node, min(q.degree[node], S.n))
    for k in range(S.nodes):
        while q.head[least] < 0:
            least += 1
        node = q.head[least]
        unlink(&q, node)
        q.place[node], q.order[k] = k, node
        new = q.elements
        join_elements(S, &q, node)
        S.node[node].start, S.node[node].end = q.start[new], q.end[new]
        size = S.node[node].size
        work += 0.5 * size * (q.weight[new] + size) * (q.weight[new] + size)
        if work > most:
            return False
        left -= S.node[node].size
        count_outside(S, &q, new)
        least = min(least, file_again(S, &q, new, left))
    number_again(S, &q)
    return True
