# ContactProblem: the equations of one time step's contacts, the wire format between World and a contact solver.
#
# The unknowns are the impulses lam_i [N s], in the axes (t1, t2, normal) of their contact, acting on object A
# and with opposite sign on object B.  The contact velocity is
#
#     v_i = v_free_i + R_i (dv_a + dw_a x arm_a) - R_i (dv_b + dw_b x arm_b) + sum over its rows of y_k z_k
#
# with R_i = frame[i].  The velocity changes (dv, dw) of the single bodies and z start at zero; an impulse lam_i adds
# R_i^T lam_i / m to dv_a, I^-1 (arm_a x R_i^T lam_i) to dw_a, the opposite to b, and y_k . lam_i to z_k.
# Hence v = v_free + G lam with G = J M^-1 J^T, but a visit to a contact costs the same for any number of contacts.
#
# A row is one column of M^-1/2 J^T (J^T after the substitution M = L L^T, so that G = Y Y^T).  Both sides of a
# contact, with their signs, are folded into its rows; a contact may have rows and single bodies at once (a foot on
# a box).
#
# The law of every contact:  0 <= lam_n  perpendicular to  v_n >= 0,   |lam_t| <= mu lam_n,   v_t = 0 while
# |lam_t| < mu lam_n, otherwise the friction law of the solver.  v_n is relative to the target velocity
# (targets.pxd: restitution, position correction, closing a gap).

cdef enum:
    CONTACT_PROBLEM_VERSION = 1   # changes with every change of the structs below

cdef struct Row:                  # how one normalised coordinate of an articulated system moves one contact [kg^-1/2]
    int coordinate                # index into the normalised coordinates z, 0 <= coordinate < n_coordinates
    double x, y, n                # along t1, t2, normal

# Warm-start keys ascend with the contact's index.  0 is no identity: such a contact starts from zero.  A key that is
# not greater than every key before it counts as 0.  arm_a[i] is read only where single_a[i] >= 0, arm_b likewise.
cdef struct ContactProblem:       # one time step; every array belongs to World (or to a Problem of view.pyx)
    int version                   # CONTACT_PROBLEM_VERSION
    int n                         # contacts
    double dt                     # time step [s]
    const double* frame           # (n, 3, 3) rows t1, t2, normal: orthonormal, world axes; normal points into object A
    const double* v_free          # (n, 3) velocity of A minus B at zero impulse, minus its target [m/s], contact axes
    const double* friction        # (n,) friction coefficient mu >= 0
    const unsigned long long* key  # (n,) identity of the contact from step to step; NULL: all 0
    double* impulse               # (n, 3) in: warm start, out: solution [N s], contact axes, acts on A
    const int* single_a           # (n,) index of the single body on side A, or -1; NULL: all -1
    const int* single_b           # (n,) index of the single body on side B, or -1; NULL: all -1
    const double* arm_a           # (n, 3) contact point minus that body's centre of mass, world axes [m]
    const double* arm_b           # (n, 3) the same for side B
    int n_single                  # single bodies
    const double* inverse_mass    # (n_single,) [1/kg]; 0 for a body that does not move
    const double* inverse_inertia  # (n_single, 6) xx xy xz yy yz zz about the centre of mass, world axes [1/(kg m^2)]
    const int* row_start          # (n + 1,) rows of contact i are row[row_start[i]:row_start[i + 1]]; NULL: no rows
    const Row* row
    int n_coordinates             # length of z
    int iterations                # out: sweeps done
    double error                  # out: largest velocity change in the last sweep [m/s]
    bint converged                # out: error fell below the threshold
