# All closed contacts at once, by a direct solve: what a sweep needs hundreds of visits for in a tall stack.
#
# Held rows S obey v_S = 0 (three of a sticking contact, the normal one of a sliding contact).  With x the velocity
# changes of bodies and coordinates, J the contact rows and M the masses, a step of the method of multipliers (Hestenes
# 1969, Powell 1969) from impulses lam with contact velocity r is
#
#     (M + J_S^T rho J_S) dx = -J_S^T rho r,      dlam = -rho (r + J_S dx)
#
# so that M dx = J_S^T dlam holds exactly.  Redundant contacts (four feet, a face on a face) need no care: A is positive
# definite, and among equal impulses the ones nearest to lam come out.  A is as sparse as the contact graph: bodies are
# numbered by breadth-first search (reverse Cuthill-McKee) and A is kept in profile form.

cdef struct Direct:           # workspace; one allocation that grows by doubling and is reused
    char* memory
    size_t capacity          # bytes
    double* A                # profile of the lower triangle, row by row
    size_t A_capacity        # entries
    int n                    # unknowns: 6 for each single body with contacts, then the coordinates with contacts
    int bodies               # of the former
    int width                # most unknowns that one contact touches
    int* place               # (n_single,) first unknown of a body, or -1
    int* column              # (n_coordinates,) unknown of a coordinate, or -1
    int* order               # (n_single,) bodies in the order of their unknowns
    int* neighbours          # (n_single + 1,) start of each body's contacts in `incident`
    int* incident            # (2 n contacts,) contacts of each body
    int* rows                # (contacts,) rows held at each contact: 3 sticking, 1 sliding (normal only), 0 open
    int* first               # (n,) first column of each row's profile
    size_t* start            # (n + 1,) where each row's profile lies in A
    int* index               # (width,) unknowns of one contact
    double* J                # (3, width) its rows
    double* x                # (n,)
    double* r                # (3 contacts,) contact velocities before the step [m/s]
    double* begun            # (3 contacts,) impulses that the solve began with [N s]
