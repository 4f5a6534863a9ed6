# The joint interface: the one place that branches on the kind.  A new joint type is one file beside this one, and a
# line in each function below whose general case does not hold.  completeness.py compares all of them with the type's
# own definition (rbdyn.mechanism.joints) when the package is imported.
#
# Conventions (rbdyn.mechanism.joints): one-dof joints act along or about z of the body's internal frame; spherical and
# floating joints have v in the parent-side frame; planar joints move in the x-y plane of the parent-side frame;
# universal joints turn about x of the parent-side frame, then about y of the body.
#
# Columns of S: translations come first.  Each column is fixed in what the columns before it carry, as in a series of
# joints with one degree of freedom; the axes of a 3-dof rotation (has_3dof_rotation) are all fixed in the parent.
# The derivatives of the dynamics (kernels/rnea_derivatives.pxd) rest on this.
#
# E_J takes before-frame coordinates to body coordinates.  Source: RBDA table 4.1 and section 4.4.

from libc.math cimport fabs, sqrt

from rbdyn.model._model cimport (
    FLOATING, HELICAL, OWN, PLANAR, PRISMATIC, REVOLUTE, SINE_COSINE, SPHERICAL, UNIVERSAL, CData, CModel,
)
from rbdyn.model.joints.fixed cimport FIXED_ALLOWS, fixed_loop_error
from rbdyn.model.joints.floating cimport (
    FLOATING_ALLOWS, base_inertia, floating_bias, floating_columns, floating_difference, floating_force,
    floating_integrate, floating_loop_error, floating_motion, floating_transform,
)
from rbdyn.model.joints.helical cimport (
    HELICAL_ALLOWS, helical_bias, helical_columns, helical_coordinate, helical_coupled_force, helical_coupled_motion,
    helical_force, helical_loop_error, helical_motion, helical_transform,
)
from rbdyn.model.joints.plain cimport plain_difference, plain_integrate
from rbdyn.model.joints.planar cimport (
    PLANAR_ALLOWS, planar_bias, planar_columns, planar_force, planar_loop_error, planar_motion, planar_transform,
)
from rbdyn.model.joints.prismatic cimport (
    PRISMATIC_ALLOWS, add_prismatic_motion, prismatic_bias, prismatic_columns, prismatic_force, prismatic_inertia,
    prismatic_loop_error, prismatic_motion, prismatic_transform,
)
from rbdyn.model.joints.revolute cimport (
    REVOLUTE_ALLOWS, add_revolute_motion, revolute_bias, revolute_columns, revolute_coordinate, revolute_force,
    revolute_inertia, revolute_loop_error, revolute_momentum, revolute_motion, revolute_transform, within_half_turn,
)
from rbdyn.model.joints.sincos_revolute cimport (
    sincos_revolute_difference, sincos_revolute_integrate, sincos_revolute_transform,
)
from rbdyn.model.joints.spherical cimport (
    SPHERICAL_ALLOWS, spherical_bias, spherical_columns, spherical_difference, spherical_force, spherical_integrate,
    spherical_loop_error, spherical_motion, spherical_transform,
)
from rbdyn.model.joints.spquat_floating cimport (
    spquat_floating_difference, spquat_floating_integrate, spquat_floating_transform,
)
from rbdyn.model.joints.universal cimport (
    UNIVERSAL_ALLOWS, UniversalRow, universal_bias, universal_column_rates, universal_columns, universal_force,
    universal_loop_error, universal_motion, universal_row, universal_row_force, universal_row_motion,
    universal_row_rate, universal_transform,
)
from rbdyn.spatial._algebra cimport Force, Inertia, Mat3, Motion, add_m, mul_a, mul_i, power, real, splat
from rbdyn.spatial.constants cimport Mat3d, Vec3d, Xformd

cdef inline void joint_transform(const CModel* m, CData* d, int i) noexcept nogil:
    """X[i] = X_J(q_i) X_tree[i], and E_J of a multi-dof joint."""
    cdef const real* q = d.q + m.qi[i]
    cdef const Xformd* T = m.X_tree + i
    cdef int kind = m.kind[i]
    if kind == REVOLUTE:
        if m.representation[i] == OWN:
            d.X[i] = revolute_transform(q, T)
        else:
            d.X[i] = sincos_revolute_transform(q, T)
    elif kind == PRISMATIC:
        d.X[i] = prismatic_transform(q, T)
    elif kind == SPHERICAL:
        d.X[i] = spherical_transform(q, T, d.EJ + i)
    elif kind == PLANAR:
        d.X[i] = planar_transform(q, T, d.EJ + i)
    elif kind == HELICAL:
        d.X[i] = helical_transform(q, splat(m.parameter[i]), T)
    elif kind == UNIVERSAL:
        d.X[i] = universal_transform(q, T, d.EJ + i)
    elif m.representation[i] == OWN:
        d.X[i] = floating_transform(q, T, d.EJ + i)
    else:
        d.X[i] = spquat_floating_transform(q, T, d.EJ + i)

cdef inline Motion joint_motion(const CModel* m, const CData* d, int i, const real* x) noexcept nogil:
    """S_i x, for the joint's own entries x of v or vd."""
    cdef int kind = m.kind[i]
    if kind == REVOLUTE:
        return revolute_motion(x)
    if kind == PRISMATIC:
        return prismatic_motion(x)
    if kind == SPHERICAL:
        return spherical_motion(d.EJ[i], x)
    if kind == PLANAR:
        return planar_motion(d.EJ[i], x)
    if kind == HELICAL:
        return helical_motion(splat(m.parameter[i]), x)
    if kind == UNIVERSAL:
        return universal_motion(d.EJ[i], x)
    return floating_motion(d.EJ[i], x)

cdef inline Motion add_joint_motion(const CModel* m, const CData* d, int i, const real* x, Motion a) noexcept nogil:
    """a + S_i x, for the joint's own entries x of v or vd."""
    cdef int kind = m.kind[i]
    if kind == REVOLUTE:
        return add_revolute_motion(x, a)
    if kind == PRISMATIC:
        return add_prismatic_motion(x, a)
    return add_m(a, joint_motion(m, d, i, x))

cdef inline Motion joint_bias(const CModel* m, const CData* d, int i, Motion vel) noexcept nogil:
    """c_J + v x v_J: the acceleration that the velocities alone give body i, whose velocity is `vel`.

    c_J is the rate of S in body coordinates times v.  It is zero but where a linear velocity is measured in the
    parent's axes, there c_J = (0, -w_J x v_J), and where one axis is turned by another one.
    """
    cdef const real* v = d.v + m.vi[i]
    cdef int kind = m.kind[i]
    if kind == REVOLUTE:
        return revolute_bias(v, vel)
    if kind == PRISMATIC:
        return prismatic_bias(v, vel)
    if kind == SPHERICAL:
        return spherical_bias(d.EJ[i], v, vel)
    if kind == PLANAR:
        return planar_bias(d.EJ[i], v, vel)
    if kind == HELICAL:
        return helical_bias(splat(m.parameter[i]), v, vel)
    if kind == UNIVERSAL:
        return universal_bias(d.EJ[i], v, vel)
    return floating_bias(d.EJ[i], v, vel)

cdef inline void joint_force(const CModel* m, const CData* d, int i, Force f, real* t) noexcept nogil:
    """t = S_i^T f, the joint's own entries of tau."""
    cdef int kind = m.kind[i]
    if kind == REVOLUTE:
        revolute_force(f, t)
    elif kind == PRISMATIC:
        prismatic_force(f, t)
    elif kind == SPHERICAL:
        spherical_force(d.EJ[i], f, t)
    elif kind == PLANAR:
        planar_force(d.EJ[i], f, t)
    elif kind == HELICAL:
        helical_force(splat(m.parameter[i]), f, t)
    elif kind == UNIVERSAL:
        universal_force(d.EJ[i], f, t)
    else:
        floating_force(d.EJ[i], f, t)

cdef inline Motion joint_column(const CModel* m, const CData* d, int i, int j) noexcept nogil:
    """Column j of S_i."""
    cdef real e[6]
    cdef int k
    for k in range(6):
        e[k] = splat(0.0)
    e[j] = splat(1.0)
    return joint_motion(m, d, i, &e[0])

cdef inline int joint_columns_from(const CModel* m, const CData* d, int i, Mat3 E, Motion* S) noexcept nogil:
    """Columns of S_i at the origin of body i, in the axes from which E leads to body i.

    Returns how many of them, the first ones, are translations; the others are rotations.
    """
    cdef int kind = m.kind[i]
    if kind == REVOLUTE:
        return revolute_columns(E, S)
    if kind == PRISMATIC:
        return prismatic_columns(E, S)
    if kind == SPHERICAL:
        return spherical_columns(d.EJ[i], E, S)
    if kind == PLANAR:
        return planar_columns(d.EJ[i], E, S)
    if kind == HELICAL:
        return helical_columns(splat(m.parameter[i]), E, S)
    if kind == UNIVERSAL:
        return universal_columns(d.EJ[i], E, S)
    return floating_columns(d.EJ[i], E, S)

cdef inline bint joint_column_rates(const CModel* m, const CData* d, int i, Mat3 E, Motion* rates) noexcept nogil:
    """Rates of the columns of joint_columns_from, as seen from the before-frame, in the same axes.

    Returns False, and writes nothing, where columns are constant there: of all joints but those whose axes turn one
    another.
    """
    if m.kind[i] == UNIVERSAL:
        universal_column_rates(d.EJ[i], d.v + m.vi[i], E, rates)
        return True
    return False

cdef inline bint is_revolute(const CModel* m, int i) noexcept nogil:
    """Whether joint i is one rotation about an axis through the body's origin: the rule in most machines."""
    return m.kind[i] == REVOLUTE

cdef inline bint has_3dof_rotation(const CModel* m, int i) noexcept nogil:
    """Whether the last three degrees of freedom of joint i are an angular velocity in the parent-side axes."""
    return m.kind[i] == SPHERICAL or m.kind[i] == FLOATING

cdef inline int translations(const CModel* m, int i) noexcept nogil:
    """How many of the degrees of freedom of joint i, the first ones, are translations."""
    cdef int kind = m.kind[i]
    if kind == PLANAR:
        return 2
    if kind == FLOATING:
        return 3
    return kind == PRISMATIC

cdef inline double joint_turn(const CModel* m, int i, const double* v) noexcept nogil:
    """How fast joint i turns at most about one of its axes, v being its own entries [rad/s]; of a 3-dof rotation, as a
    whole.
    """
    cdef double fastest = 0.0
    cdef int k, n = m.nvi[i]
    if n == 1:
        return fabs(v[0]) if m.kind[i] != PRISMATIC else 0.0
    if has_3dof_rotation(m, i):
        return sqrt(v[n - 1] * v[n - 1] + v[n - 2] * v[n - 2] + v[n - 3] * v[n - 3])
    for k in range(translations(m, i), n):
        fastest = max(fastest, fabs(v[k]))
    return fastest

cdef inline bint floats_on_root(const CModel* m, int i) noexcept nogil:
    return m.kind[i] == FLOATING and m.parent[i] == 0

# ---- inertias ------------------------------------------------------------------------------------------------------

cdef inline Force momentum_column(const CModel* m, const CData* d, int i, int j, const Inertia* A) noexcept nogil:
    """A S_ij; read off, without arithmetic, for a revolute joint."""
    if m.kind[i] == REVOLUTE:
        return revolute_momentum(A)
    return mul_i(A[0], joint_column(m, d, i, j))

cdef inline void joint_inertia(const CModel* m, const CData* d, int i, Force* U, real* D) noexcept nogil:
    """U = I^A S, one column each, and the lower triangle of D = S^T I^A S, rows 6 apart.  RBDA eqs. 7.43, 7.44.

    With S a unit vector, a one-dof joint's column is read off I^A.  A multi-dof joint on the root needs no U.
    """
    cdef int j, k, kind = m.kind[i]
    cdef Motion S
    if kind == REVOLUTE:
        revolute_inertia(d.IA + i, U, D)
        return
    if kind == PRISMATIC:
        prismatic_inertia(d.IA + i, U, D)
        return
    if floats_on_root(m, i):
        base_inertia(d.IA + i, d.EJ[i], D)
        return
    for j in range(m.nvi[i]):
        U[j] = mul_a(d.IA[i], joint_column(m, d, i, j))
    for j in range(m.nvi[i]):
        S = joint_column(m, d, i, j)
        for k in range(j + 1):
            D[6 * j + k] = power(S, U[k])

cdef inline bint frees_z(const CModel* m, int i, const real* extra) noexcept nogil:
    """Whether nothing but inertia resists a revolute joint, neither a rotor nor an implicit gain.

    Then I^A - U D^-1 U^T has a zero row and column wz, and a third of what follows falls away.
    """
    return m.kind[i] == REVOLUTE and m.rotor[m.vi[i]] == 0.0 and extra is NULL

cdef inline bint holds_z(const CModel* m, int i, const real* extra) noexcept nogil:
    """Whether an implicit gain holds a revolute joint: row and column wz are then multiples of U."""
    return m.kind[i] == REVOLUTE and extra is not NULL

# ---- the configuration manifold --------------------------------------------------------------------------------------

cdef inline void integrate_joint(const CModel* m, int i, double* q, const double* v, double dt) noexcept nogil:
    """q <- q (+) v dt, for the joint's own entries."""
    cdef int kind = m.kind[i]
    if kind == SPHERICAL:
        spherical_integrate(q, v, dt)
    elif kind == FLOATING:
        if m.representation[i] == OWN:
            floating_integrate(q, v, dt)
        else:
            spquat_floating_integrate(q, v, dt)
    elif m.representation[i] == SINE_COSINE:
        sincos_revolute_integrate(q, v, dt)
    else:
        plain_integrate(m.nvi[i], q, v, dt)

cdef inline void difference_joint(const CModel* m, int i, const double* x, const double* y, double* v) noexcept nogil:
    """v with x (+) v = y, for the joint's own entries."""
    cdef int kind = m.kind[i]
    if kind == SPHERICAL:
        spherical_difference(x, y, v)
    elif kind == FLOATING:
        if m.representation[i] == OWN:
            floating_difference(x, y, v)
        else:
            spquat_floating_difference(x, y, v)
    elif m.representation[i] == SINE_COSINE:
        sincos_revolute_difference(x, y, v)
    else:
        plain_difference(m.nvi[i], x, y, v)

# ---- as a joint outside the tree -------------------------------------------------------------------------------------

cdef inline int allowed_directions(int kind) noexcept nogil:
    """Which of the velocities w_x, w_y, w_z, d'_x, d'_y, d'_z a loop joint allows, as bits from the lowest."""
    if kind == REVOLUTE:
        return REVOLUTE_ALLOWS
    if kind == PRISMATIC:
        return PRISMATIC_ALLOWS
    if kind == SPHERICAL:
        return SPHERICAL_ALLOWS
    if kind == PLANAR:
        return PLANAR_ALLOWS
    if kind == HELICAL:
        return HELICAL_ALLOWS
    if kind == UNIVERSAL:
        return UNIVERSAL_ALLOWS
    return FLOATING_ALLOWS if kind == FLOATING else FIXED_ALLOWS

cdef struct LoopRows:     # of q: what the rows of a loop joint see of (w, d'), and likewise what it allows
    int kind              # JointKind
    double parameter      # JointType.kernel_parameter
    UniversalRow turned   # of a universal joint

cdef inline bint loop_rows_turn(int kind) noexcept nogil:
    """Whether the rows depend on q: else those of any C are right."""
    return kind == UNIVERSAL

cdef inline LoopRows loop_rows(int kind, double parameter, Mat3d C) noexcept nogil:
    """The rows of a loop joint where the after-frame's axes, seen from the before-frame, are C."""
    cdef LoopRows rows
    rows.kind, rows.parameter = kind, parameter
    rows.turned.s, rows.turned.c, rows.turned.slope = 0.0, 1.0, 0.0
    if kind == UNIVERSAL:
        rows.turned = universal_row(C)
    return rows

cdef inline Motion row_motion(const LoopRows* rows, Motion a) noexcept nogil:
    """(w, d') in the before-frame as the rows have it, entry by entry of allowed_directions.

    A blocked entry is itself, or less what the joint couples with it; rotations may be in other axes.
    """
    if rows.kind == HELICAL:
        return helical_coupled_motion(rows.parameter, a)
    if rows.kind == UNIVERSAL:
        return universal_row_motion(rows.turned, a)
    return a

cdef inline Force row_force(const LoopRows* rows, Force f) noexcept nogil:
    """The transpose of row_motion: what multipliers f of its rows exert, in the before-frame."""
    if rows.kind == HELICAL:
        return helical_coupled_force(rows.parameter, f)
    if rows.kind == UNIVERSAL:
        return universal_row_force(rows.turned, f)
    return f

cdef inline Motion row_rate(const LoopRows* rows, Motion v, Motion a) noexcept nogil:
    """The rate of row_motion at the velocity v = (w, d') whose rate in the before-frame is a."""
    if rows.kind == UNIVERSAL:
        return universal_row_rate(rows.turned, v, a)
    return row_motion(rows, a)

cdef inline double loop_joint_coordinate(int kind, double parameter, Mat3d C, double d_z) noexcept nogil:
    """Where a loop joint with one degree of freedom stands, if it is closed: its angle [rad] or its way [m].

    C are the after-frame's axes seen from the before-frame, d_z [m] is the way of its origin along z.  Angles are in
    (-pi, pi]; of a screw whole turns count.
    """
    if kind == REVOLUTE:
        return revolute_coordinate(C)
    return d_z if kind == PRISMATIC else helical_coordinate(parameter, C, d_z)

cdef inline double coordinate_difference(int kind, double difference) noexcept nogil:
    """The difference of two coordinates of such a joint: of a hinge's angles the one of half a turn at most."""
    return within_half_turn(difference) if kind == REVOLUTE else difference

cdef inline Vec3d loop_rotation_error(int kind, double parameter, Mat3d C, double d_z) noexcept nogil:
    """The rotation vector that a loop joint's rows see.

    C are the after-frame's axes seen from the before-frame, d_z [m] is the way of its origin along z.
    """
    if kind == REVOLUTE:
        return revolute_loop_error(C)
    if kind == PRISMATIC:
        return prismatic_loop_error(C)
    if kind == SPHERICAL:
        return spherical_loop_error(C)
    if kind == PLANAR:
        return planar_loop_error(C)
    if kind == HELICAL:
        return helical_loop_error(parameter, C, d_z)
    if kind == UNIVERSAL:
        return universal_loop_error(C)
    return floating_loop_error(C) if kind == FLOATING else fixed_loop_error(C)
