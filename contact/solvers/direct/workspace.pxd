# All closed contacts at once, by a direct solve: what a sweep needs hundreds of visits for in a tall stack.
#
# Held rows S obey v_S = 0 (three of a sticking contact, the normal one of a sliding contact).  With x the velocity
# changes of bodies and coordinates, J the contact rows and M the masses, a step of the method of multipliers (Hestenes
# 1969, Powell 1969) from impulses lam with contact velocity r is
#
#     (M + J_S^T rho J_S) dx = -J_S^T rho r,      dlam = -rho (r + J_S dx)
#
# so that M dx = J_S^T dlam holds exactly.  Redundant contacts (four feet, a face on a face) need no care: A is positive
# definite, and among equal impulses the ones nearest to lam come out.  A is as sparse as the contact graph: its nodes
# are bodies, of six unknowns, and coordinates, of one; they are eliminated in an order of little fill (ordering.pyx).

cdef struct Node:             # of the contact graph; numbered as they are eliminated
    int object               # single body, or coordinate
    int size                 # unknowns: 6 of a body, 1 of a coordinate
    int first                # of them
    int rows                 # entries below its diagonal block, in each of its columns of the factor
    int start, end           # its blocks are below[start:end], nodes in ascending order
    size_t diagonal          # A[diagonal:] holds its diagonal block (size, size), then (size, rows) the transpose of
    #                          what lies below

cdef struct Below:            # a block of the factor below a diagonal one
    int node
    int at                   # its first of the column's `rows`

cdef struct Direct:           # workspace; what grows does so by doubling, and is reused
    int nodes, bodies        # of the contact graph; of these single bodies
    int n                    # unknowns
    int width                # most unknowns that one contact touches
    Node* node               # (nodes,)
    Below* below             # of all nodes
    double* A
    int* node_of_body        # (n_single,) of those with contacts
    int* node_of_coordinate  # (n_coordinates,) likewise
    int* part                # (width,) nodes of one contact
    double* J                # (3, width) its rows
    double* x                # (n,)
    double* r                # (3 contacts,) contact velocities before the step [m/s]
    double* begun            # (3 contacts,) impulses that the solve began with [N s]
    int* rows                # (contacts,) rows held at each contact: 3 sticking, 1 sliding (normal only), 0 open
    int* scratch             # of ordering.pyx
    char* memory             # one allocation for all but `below` and `A`
    size_t capacity, below_capacity, A_capacity
