# The contact problem of one step while it is written (builder.pxd): its arrays, and what sources say of them.

from rbdyn.contact.problem cimport Block, ContactProblem, Entry, Entry3, RowSide
from rbdyn.spatial._algebra cimport Motion
from rbdyn.stepping.pair_history cimport PairHistory
from rbdyn.stepping.scene cimport Scene

cdef struct Count:            # what a source writes in this step
    int cones
    int blocks                # others
    int rows                  # of the others

cdef struct Share:            # where it writes them
    int cone, cone_end        # blocks of the problem
    int block, block_end      # blocks of the problem that are no cones

cdef struct Taken:            # what loops take of a row of the problem: its first entries of Q^T
    int row
    int system
    int first                 # of rank entries, in `taken`

cdef struct Builder:
    ContactProblem problem    # its pointers are the arrays below
    int n_cones, n_blocks, n_rows      # begun: cones, other blocks, their rows
    int n_entries3, n_entries
    bint merged               # both sides of the row begun last are carried by the same joints
    double apart              # the mobility that its sides would have by themselves [1/kg]
    double greatest           # what that of its loads on systems could be, at most [1/kg]
    Block* block              # (n,)
    double* v_free            # (n_rows,)
    double* target            # (n_rows,)
    double* position_target   # (n_rows,)
    double* depth             # (n_rows,)
    double* v_start           # (n_rows,)
    double* bend              # (rows of other blocks,)
    bint bends                # some of them is not 0
    int n_further             # pairs of sides beyond the first of their rows
    double* drive             # (n_cones, 3)
    bint driven               # some of them is not 0
    double* impulse           # (n_rows,)
    double* frame             # (n_cones, 3, 3)
    int* single_a             # (n_cones,)
    int* single_b             # (n_cones,)
    double* arm_a             # (n_cones, 3)
    double* arm_b             # (n_cones, 3)
    int* entry3_start         # (n_cones + 1,)
    Entry3* entry3
    double* mobility          # (n_cones, 6)
    RowSide* side             # (rows of other blocks + n_further, 2)
    int* entry_start          # (rows of other blocks + 1,)
    Entry* entry
    int* term_start           # (rows of other blocks + 1,)
    Entry* term               # of rows that act on degrees of freedom alone
    int n_terms
    bint told                 # the row begun last does so far
    int* above                # (n_coordinates,) if there are terms
    int* root_start           # (n_coordinates,)
    double* root
    Motion* column            # (nv,) of a system: what its bodies move with at unit velocities
    double* inverse_mass      # (n_single,)
    double* inverse_inertia   # (n_single, 6)
    long singles              # Scene.listed when both were written
    const Scene* scene
    int spare                 # entries that rows may need beyond those that are written: of systems with loops
    int closed_cones, closed_rows      # that have been written in the coordinates of closed mechanisms
    int n_takes, n_taken
    Taken* take               # (n_takes,) rows of which loops take something
    double* taken             # (n_taken,) entries that they take [kg^-1/2]
    PairHistory history       # what is known of pairs from the step before
    # capacities
    size_t room[7]
    size_t room_cone[8]
    size_t room_row[3]
    size_t room_entry3
    size_t room_entry
    size_t room_single[2]
    size_t room_taken[2]
    size_t room_told[6]
