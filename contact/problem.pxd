# ContactProblem: the equations of one time step, the interface struct between World and a contact solver.
#
# The unknowns are impulses lam, one a row, in blocks that obey one law each:
#
#     cone         3 rows along (t1, t2, normal) of a contact, friction mu = a:
#                  0 <= lam_n  perpendicular to  v_n >= 0,  |lam_t| <= mu lam_n,  v_t = 0 while |lam_t| < mu lam_n,
#                  otherwise the friction law of the solver
#     unilateral   0 <= lam  perpendicular to  v >= 0, each row by itself
#     bilateral    v = 0, 1 to 6 rows together; rows may be redundant
#     box          a <= lam <= b with a <= 0 <= b: v = 0 between the bounds, v >= 0 at lam = a, v <= 0 at lam = b
#     disc         1 or 2 rows together: |lam| <= a lam_n with the normal impulse lam_n of the cone `partner`:
#                  v = 0 while |lam| < a lam_n, otherwise v opposes lam.  Torsional and rolling friction
#
# v is relative to its target (targets.pxd): v + target is the bodies' own velocity.  Cones come first: block
# i < n_cones has the rows 3 i, 3 i + 1, 3 i + 2.  Discs come last.
#
# The velocity of a cone's rows is
#
#     v_i = v_free_i + R_i (dv_a + dw_a x arm_a) - R_i (dv_b + dw_b x arm_b) + sum over its entries of y_k z_k
#
# with R_i = frame[i].  The velocity changes (dv, dw) of the single bodies and z start at zero; an impulse lam_i adds
# R_i^T lam_i / m to dv_a, I^-1 (arm_a x R_i^T lam_i) to dw_a, the opposite to b, and y_k . lam_i to z_k.  Any other row
# r has sides, mostly two at most, whose signs are in their directions:
#
#     v_r = v_free_r + sum over sides of (linear . dv + angular . dw) + sum over its entries of y_k z_k
#
# Hence v = v_free + G lam with G = J M^-1 J^T, but a visit to a block costs the same for any number of blocks.  Laws
# hold for v + compliance lam.
#
# Depth is corrected by poses alone (positions.pxd): where the bodies' own velocity along a normal, or along a row that
# is no cone's, stays below its position target, poses are moved as if it were that.  -INFINITY: nothing is corrected.
#
# An entry is one column of M^-1/2 J^T (J^T after the substitution M = L L^T, so that G = Y Y^T).  Both sides of a
# constraint, with their signs, are folded into its entries; a block may have entries and single bodies at once (a foot
# on a box).

cdef enum:
    CONTACT_PROBLEM_VERSION = 12  # changes with every change of the structs below
    LAWS = 5
    MOST_ROWS = 6                 # of a bilateral block

cdef enum Law:
    CONE
    UNILATERAL
    BILATERAL
    BOX
    DISC

cdef enum Stage:                  # of a solve, with which an island ended
    SWEPT                         # sweeps
    REFINED                       # Newton's method
    GIVEN_UP                      # none: all iterations that it may take were taken
    COMPLIANT                     # no velocities meet its laws: it has those that miss them least
    REPLACED                      # accept: its impulses made energy, or were not finite
    STAGES

# Warm-start keys ascend among the cones, and among the other blocks.  All zero is no identity: such a block starts from
# zero.  A key that is not greater than every key before it counts as zero.
cdef struct Key:                  # identity of a block from step to step
    unsigned int source           # who wrote the block
    unsigned int id_a, id_b       # what it acts on, in the source's numbers
    unsigned int feature          # which of several between the same two

cdef struct Block:
    int law                       # Law
    int first_row
    int rows                      # 3 for a cone, 1 to 6 for a bilateral, 1 or 2 for a disc, 1 or more for the others
    int partner                   # disc: the cone whose push bounds it; others: unused
    double a, b                   # cone: mu >= 0, unused; box: bounds of every row [N s]; disc: a >= 0 [m], unused
    double compliance             # [1/kg] added to the diagonal of G, >= 0
    Key key

cdef struct Entry3:               # how one normalised coordinate of an articulated system moves a cone [kg^-1/2]
    int coordinate                # index into the normalised coordinates z, 0 <= coordinate < n_coordinates
    double x, y, n                # along t1, t2, normal

cdef struct Entry:                # how it moves one row
    int coordinate
    double y                      # [kg^-1/2]

# Where a row has more than two sides, the first of them says in which pair of `side` it goes on, and so on.  Such pairs
# stand behind those of the rows, a later one behind an earlier one.  All bodies of such a row are different ones.
cdef struct RowSide:              # a single body at one row, world axes
    int body                      # index, or -1
    int further                   # of the first of a pair: the pair with two more sides of the row; 0: none
    double linear[3]              # direction of its velocity, sign included
    double angular[3]             # direction of its angular velocity [m], or [1] where the row is one of rad/s

# arm_a[i] is read only where single_a[i] >= 0, arm_b likewise.
cdef struct ContactProblem:       # one time step; every array belongs to World (or to a Problem of view.pyx)
    int version                   # CONTACT_PROBLEM_VERSION
    int n                         # blocks
    int n_cones                   # the first of them
    int n_rows                    # of all blocks
    double dt                     # time step [s]
    const Block* block            # (n,)
    const double* v_free          # (n_rows,) velocity at zero impulse, minus its target [m/s]; cones: A minus B
    const double* target          # (n_rows,) that target [m/s], so that v_free + target is the bodies' own; NULL: all 0
    const double* position_target  # (n_rows,) speed at which poses part, leaving no velocity [m/s]; NULL: none
    const double* v_start         # (n_rows,) the bodies' own velocity at the start of the step [m/s]; NULL: unknown
    const double* bend            # (n_rows - 3 n_cones,) of rows that are no cone's: half of what turns out of the row
    #                               in the step, which v_start has taken off and v_free added: v = 0 asks for nothing
    #                               over its mean.  Given up where that makes energy (bends.pxd) [m/s]; NULL: all 0
    const double* drive           # (n_cones, 3) the part of v_free that bodies make which move whatever pushes them
    #                               (kinematic ones) [m/s], contact axes; NULL: all 0
    const double* depth           # (n_rows,) at normals, and how far a joint is beyond its limit; negative for a gap
    #                               [m or rad]; NULL: all 0
    double* impulse               # (n_rows,) in: warm start, out: solution [N s]; cones: acts on A
    const double* frame           # (n_cones, 3, 3) rows t1, t2, normal: orthonormal, world axes; normal points into A
    const int* single_a           # (n_cones,) index of the single body on side A, or -1; NULL: all -1
    const int* single_b           # (n_cones,) index of the single body on side B, or -1; NULL: all -1
    const double* arm_a           # (n_cones, 3) contact point minus that body's centre of mass, world axes [m]
    const double* arm_b           # (n_cones, 3) the same for side B
    const int* entry3_start       # (n_cones + 1,) cone i has entry3[entry3_start[i]:entry3_start[i + 1]]; NULL: none
    const Entry3* entry3
    const int* above              # (n_coordinates,) the next coordinate towards the root of its system: c + 1 within a
    #                               joint, then of a joint before, or -1; NULL: systems do not tell their velocities
    const int* root_start         # (n_coordinates,) where the row of each one in `root` begins
    const double* root            # z_c = sum of root[root_start[c] + i] u_k, k being c, above[c], above[above[c]], ...:
    #                               normalised coordinates from the velocities u of degrees of freedom [kg^1/2]
    const int* term_start         # (n_rows - 3 n_cones + 1,) rows whose entries are a sum of few u have terms, too:
    const Entry* term             # row r is that of term[term_start[r]:term_start[r + 1]], y being what u counts with
    const double* mobility        # (n_cones, 6) sums of y_k y_k^T over the entries of a cone, which whoever wrote them
    #                               knows: xx xy xz yy yz zz [1/kg]; read where there are entries.  NULL: unknown
    const RowSide* side           # (n_rows - 3 n_cones + n_further, 2) sides of every other row; NULL: none
    const int* entry_start        # (n_rows - 3 n_cones + 1,) entries of every other row; NULL: none
    const Entry* entry
    int n_single                  # single bodies
    int n_further                 # pairs of sides beyond the first of their rows, at most
    const double* inverse_mass    # (n_single,) [1/kg]; 0 for a body that does not move
    const double* inverse_inertia  # (n_single, 6) xx xy xz yy yz zz about the centre of mass, world axes [1/(kg m^2)]
    int n_coordinates             # length of z
    int iterations                # out: sweeps done
    double error                  # out: largest velocity change in the last sweep [m/s]
    bint converged                # out: error fell below the threshold
    int ended[5]                  # out: islands by the Stage they ended with
    int worst_single              # out: a single body, and a coordinate, that the island of the largest error acts on,
    int worst_coordinate          # or -1

cdef inline const RowSide* further_sides(const ContactProblem* p, const RowSide* pair) noexcept nogil:
    """The next two sides of the row that these two are of, NULL: there are no more."""
    return p.side + 2 * pair.further if pair.further > 0 else NULL
