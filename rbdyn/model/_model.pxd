# The numbers of a Model and of a State, as plain C structs: what a thing is, and where it is now.
#
# Body 0 is the root, which does not move.  Joint i connects body i > 0 to its parent.  Every body has one internal
# frame: the after-frame of its joint, turned so that the axis of a one-dof joint is z (a planar joint's normal
# likewise), and the axes of a universal joint are x and y.  The frame that users know sits at a fixed pose in it
# (Model.placement).  Spatial vectors are in internal body frames, angular part first.
#
# What a model is made of is stored in double, so that one CModel serves one state and all lanes of many; `real` stands
# in CData alone.

from rbdyn.memory cimport Arena
from rbdyn.spatial._algebra cimport ArticulatedInertia, Force, Inertia, Mat3, Motion, Vec3, Xform, real
from rbdyn.spatial.constants cimport Inertiad, Mat3d, Vec3d, Xformd

cdef enum JointKind:
    REVOLUTE = 0
    PRISMATIC = 1
    SPHERICAL = 2
    PLANAR = 3
    FLOATING = 4
    FIXED = 5             # of loop joints only: in the tree, bodies on fixed joints are merged
    HELICAL = 6
    UNIVERSAL = 7

cdef struct CLoop:        # a joint outside the tree: it constrains two bodies that the tree has placed
    int kind              # JointKind: the motion it allows, of the after-frame in the before-frame
    double parameter      # JointType.kernel_parameter
    int predecessor       # body that carries the before-frame
    int successor         # body that carries the after-frame
    Mat3d R_before         # before-frame to predecessor axes; one-dof axis, or planar normal, along z
    Vec3d p_before         # [m] its origin in the predecessor
    Mat3d R_after          # after-frame to successor axes, turned likewise
    Vec3d p_after          # [m] its origin in the successor
    int row               # first of its rows in K
    int rows              # number of its rows: 6 less its degrees of freedom
    int rotor_row         # first of its rotor rows
    double rotor          # reflected rotor inertia per degree of freedom [kg m^2 or kg]; 0: no rotor rows

cdef enum Representation:  # how a joint writes its q; how it moves, and its v, are its kind's alone
    OWN = 0               # as the kind does
    SINE_COSINE = 1       # REVOLUTE: sine and cosine of the angle
    STEREOGRAPHIC = 2     # FLOATING: x, y, z [m], p = (qx, qy, qz) / (1 + qw)

cdef struct Block:        # numbers of q that belong together, by `size`
    int start             # first of them in q
    int size              # 2: sine and cosine, 4: quaternion, both of length 1; 3: p, of length 1 at most

cdef struct CModel:
    int nb                # bodies, the root included
    int nq                # length of q
    int nv                # length of v
    Vec3d gravity         # [m/s^2] root axes
    int* parent           # (nb,)
    int* order            # (nb,) bodies, nearest to the root first: limbs by turns, which a processor overlaps
    int* kind             # (nb,) JointKind of joint i
    int* representation   # (nb,) Representation of joint i
    int* qi               # (nb,) first index of joint i in q
    int* vi               # (nb,) first index of joint i in v
    int* nvi              # (nb,) degrees of freedom of joint i
    int* parent_dof       # (nv,) next degree of freedom towards the root, or -1: the sparsity of M
    Xformd* X_tree        # (nb,) parent's frame to before-frame of joint i
    Inertiad* I_b         # (nb,) rigid-body inertia, merged bodies included
    double* parameter     # (nb,) the number that the type of joint i has beside its axis, or 0
    double mass           # of all bodies but the root [kg]
    double trace          # of all their inertias about their own frames [kg m^2]
    double* rotor         # (nv,) reflected rotor inertia [kg m^2 or kg]
    int n_blocks          # blocks of q whose length is bound
    Block* blocks         # (n_blocks,)
    int n_loops           # joints outside the tree
    int nc                # rows of the constraint Jacobian K
    int nr                # rotor rows: degrees of freedom of loop joints that have rotors
    CLoop* loops          # (n_loops,)
    Arena memory          # of all the arrays above

cdef enum Stage:          # what is valid in a CData for its present q and v
    TRANSFORMS = 1        # X, EJ                                    of q
    POSES = 2             # R, p                                     of q, R[0], p[0]
    VELOCITIES = 4        # vel, c                                   of q, v

cdef struct CData:
    int stage             # Stage flags; cleared by whoever writes q or v
    Vec3 gravity          # [m/s^2] root axes; the model's, or the World's
    real* q               # (nq,)
    real* v               # (nv,)
    # of q: written by kinematics.pxd
    Xform* X              # (nb,) parent's frame to frame of body i
    Mat3* EJ              # (nb,) rotation of a multi-dof joint, before-frame to body coordinates
    Mat3* R               # (nb,) body to world axes; R[0], p[0] say where the root stands and are the owner's
    Vec3* p               # (nb,) origin of body i in the world [m]
    int* path             # (nb,) bodies from one of them to the root (scratch of kinematics.pxd)
    # of q, v: written by kinematics.pxd
    Motion* vel           # (nb,) velocity of body i
    Motion* c             # (nb,) velocity-product acceleration c_J + v x v_J
    # scratch of one algorithm at a time
    Motion* a             # (nb,) acceleration, minus gravity
    Force* f              # (nb,) force across joint i; external force before that
    Inertia* Ic           # (nb,) composite inertia (crba)
    ArticulatedInertia* IA    # (nb,) articulated-body inertia (aba)
    Force* pA             # (nb,) articulated bias force (aba)
    Force* U              # (nv,) I^A S of each degree of freedom (aba)
    real* D               # (nv, 6) Cholesky factor of S^T I^A S, rows of one joint together (aba)
    real* u               # (nv,) joint force less bias (aba)
    Arena memory          # of all the arrays above

cdef int allocate_model(CModel* m, int nb, int nq, int nv, int n_loops) except -1
cdef void free_model(CModel* m) noexcept
cdef int allocate_data(CData* d, const CModel* m) except -1
cdef void free_data(CData* d) noexcept
