# All rows that hold a velocity at once, by a direct solve: what a sweep needs hundreds of visits for in a tall stack.
#
# Held rows S obey v_S + compliance lam_S = 0: three of a sticking contact, the normal one of a sliding contact, and of
# other blocks those that their laws name (`held_rows`).  With x the velocity changes of bodies and coordinates, J the
# rows, M the masses and r = v_S + compliance lam_S, a step of the method of multipliers (Hestenes 1969, Powell 1969) is
#
#     (M + J_S^T rho J_S) dx = -J_S^T rho r,      dlam = -rho (r + J_S dx),      1 / rho = 1 / stiffness + compliance
#
# so that M dx = J_S^T dlam holds exactly.  Redundant rows (four feet, a face on a face, a weld beside a weld) need no
# care: A is positive definite, and among equal impulses the ones nearest to lam come out.  A is as sparse as the graph
# of what acts on what: its nodes are bodies, of six unknowns, and coordinates, of one; they are eliminated in an order
# of little fill (ordering.pyx).
#
# Constraint i < G.n is contact i, with three rows; the others are one row each, `Operator.line[i - G.n]`.

cdef struct Node:             # of the graph; numbered as they are eliminated
    int object               # single body, or coordinate
    int size                 # unknowns: 6 of a body, 3 if nothing turns it, 1 of a coordinate
    int first                # of them
    int rows                 # entries below its diagonal block, in each of its columns of the factor
    int start, end           # its blocks are below[start:end], nodes in ascending order
    size_t diagonal          # A[diagonal:] holds its diagonal block (size, size), then (size, rows) the transpose of
    #                          what lies below

cdef struct Below:            # a block of the factor below a diagonal one
    int node
    int at                   # its first of the column's `rows`

cdef struct Direct:           # workspace; what grows does so by doubling, and is reused
    int nodes                # of the graph
    int n                    # unknowns
    int width                # most unknowns that one constraint touches
    Node* node               # (nodes,)
    Below* below             # of all nodes
    double* A
    int* node_of_body        # (n_single,) of those with constraints
    int* node_of_coordinate  # (n_coordinates,) likewise
    int* part                # (width,) nodes of one constraint
    double* J                # (3, width) its rows; one of a single row is the third, where a contact has its normal
    double* x                # (n,)
    double* r                # (rows,) velocities before the step [m/s]
    double* begun            # (rows,) impulses that the solve began with [N s]
    double* rho              # (constraints,) weights of the held rows [kg]
    int* rows                # (constraints,) how many are held: 3 sticking, 1 sliding (normal only) or a single one, 0
    bint stale               # the factor in A is of other rows
    int* scratch             # of ordering.pyx
    char* memory             # one allocation for all but `below` and `A`
    size_t capacity, below_capacity, A_capacity
