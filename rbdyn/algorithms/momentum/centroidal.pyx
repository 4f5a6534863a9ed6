"""The momentum matrix, its bias, the Jacobian of the centre of mass and composite inertias."""

cimport numpy as cnp

from rbdyn.errors import MechanismError
from rbdyn.spatial.inertia import SpatialInertia

from rbdyn.algorithms.inputs.state cimport state_of
from rbdyn.arguments.arrays cimport data, matrix_out, vector_out
from rbdyn.kernels.centroidal cimport momentum_columns, momentum_rate, subtree_inertia
from rbdyn.model._model cimport CModel
from rbdyn.model.model cimport Placement
from rbdyn.model.state cimport State
from rbdyn.spatial._algebra cimport (
    Force, Inertia, Sym3, Vec3, apply_ti, neg3, scale3, shift_s, sub_s, tmul3, xform, zero3,
)


def momentum_matrix(state, out=None):
    """The matrix A(q) that takes velocities to the momentum of all moving bodies: `momentum` is A v.

    About the world's origin; the centroidal momentum matrix is this one with the moment taken about the centre of
    mass: A[:3] - skew(center_of_mass) @ A[3:].

    Parameters
    ----------
    state : State
        Configuration q; v is not read.
    out : (6, nv) ndarray of float64, optional
        Zeroed, written and returned.

    Returns
    -------
    A : (6, nv) ndarray of float64
        Angular rows about the world's origin, then linear rows; world axes [kg m^2, kg m or kg].  Rotors not included.

    Notes
    -----
    Orin and Goswami, "Centroidal momentum matrix of a humanoid robot", IROS 2008, by composite inertias: RBDA (2008),
    chapter 6.
    """
    cdef State here = state_of(state)
    cdef CModel* m = here.use()
    cdef cnp.ndarray A = matrix_out(out, 6, m.nv)
    momentum_columns(m, &here.c, True, 1.0, data(A))
    return A


def momentum_bias(state, out=None):
    """dA/dt v: the rate of `momentum` that velocities alone give, without accelerations.

    The rate of momentum is A(q) vd plus this; it equals the wrench of gravity, the ground and all else from outside.

    Parameters
    ----------
    state : State
        Configuration q and velocity v of the model.
    out : (6,) ndarray of float64, optional
        Written and returned.

    Returns
    -------
    b : (6,) ndarray of float64
        Moment about the world's origin [N m], then force [N]; world axes.  Gravity not included.

    Notes
    -----
    The sum of RBDA (2008), eq. 2.75, over the moving bodies.
    """
    cdef State here = state_of(state)
    cdef CModel* m = here.use()
    cdef cnp.ndarray a = vector_out(out, 6)
    cdef Force b = momentum_rate(m, &here.c)
    data(a)[0], data(a)[1], data(a)[2] = b.n.x, b.n.y, b.n.z
    data(a)[3], data(a)[4], data(a)[5] = b.f.x, b.f.y, b.f.z
    return a


def center_of_mass_jacobian(state, out=None):
    """Jacobian of the centre of mass of all moving bodies.

    Parameters
    ----------
    state : State
        Configuration q; v is not read.
    out : (3, nv) ndarray of float64, optional
        Zeroed, written and returned.

    Returns
    -------
    J : (3, nv) ndarray of float64
        J v is the velocity of `center_of_mass` in world axes [m/s].

    Raises
    ------
    MechanismError
        If the moving bodies have no mass.

    Notes
    -----
    The linear rows of `momentum_matrix` over the mass: Orin and Goswami (2008).
    """
    cdef State here = state_of(state)
    cdef CModel* m = here.use()
    if m.mass <= 0.0:
        raise MechanismError(f"mechanism {here.model.mechanism.name!r} has no moving mass, so no centre of mass")
    cdef cnp.ndarray J = matrix_out(out, 3, m.nv)
    momentum_columns(m, &here.c, False, 1.0 / m.mass, data(J))
    return J


def composite_inertia(state, body):
    """Inertia of a body and of all that hangs on it, as if every joint beyond it were locked.

    Parameters
    ----------
    state : State
        Configuration q; v is not read.
    body : str, RigidBody or CartesianFrame
        Which body.  What is rigidly fixed to another body stands for the whole of it: the result is the inertia of the
        carrying body's subtree, in the frame that was asked for.

    Returns
    -------
    inertia : SpatialInertia
        In the frame of `body`: mass [kg], centre of mass [m], rotational inertia about it [kg m^2].

    Notes
    -----
    RBDA (2008), table 6.2, p. 107: I^c_i = I_i + the sum of X^T I^c_j X over the children j.
    """
    cdef State here = state_of(state)
    cdef CModel* m = here.use()
    cdef Placement place = here.model.find(body)
    cdef Inertia A = apply_ti(xform(place.R, neg3(tmul3(place.R, place.p))), subtree_inertia(m, &here.c, place.body))
    cdef Vec3 c = scale3(1.0 / A.m, A.h) if A.m > 0.0 else zero3()
    cdef Sym3 J = sub_s(A.I_o, shift_s(c, scale3(0.5, A.h)))   # parallel-axis theorem: less m (c.c 1 - c c^T)
    return SpatialInertia(
        A.m, (c.x, c.y, c.z), ((J.xx, J.xy, J.xz), (J.xy, J.yy, J.yz), (J.xz, J.yz, J.zz))
    )
