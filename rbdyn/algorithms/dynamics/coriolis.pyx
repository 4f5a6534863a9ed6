"""The Coriolis matrix C(q, v)."""

cimport numpy as cnp

from rbdyn.algorithms.inputs.state cimport state_of
from rbdyn.arguments.arrays cimport data, matrix_out
from rbdyn.kernels.coriolis cimport coriolis
from rbdyn.model._model cimport CModel
from rbdyn.model.state cimport State


def coriolis_matrix(state, out=None):
    """A matrix C(q, v) such that C v are the Coriolis and centrifugal forces and dM/dt - 2 C is skew-symmetric.

    Both hold exactly for every joint type: `bias_forces` without gravity is C v, and a controller or observer that uses
    C in place of dM/dt / 2 neither makes nor takes energy.

    Parameters
    ----------
    state : State
        Configuration q and velocity v of the model.
    out : (nv, nv) ndarray of float64, optional
        Zeroed, written and returned.

    Returns
    -------
    C : (nv, nv) ndarray of float64
        Linear in v; C times a velocity is a force [N m or N].  dM/dt is C + C^T.  Gravity not included; rotor inertia
        does not change and adds nothing.

    Notes
    -----
    Echeandia and Wensing, "Numerical methods to compute the Coriolis matrix and Christoffel symbols for rigid-body
    systems", J. Comput. Nonlinear Dynam. 16 (2021).  dS/dt covers joints whose S turns in body coordinates.
    """
    cdef State here = state_of(state)
    cdef CModel* m = here.use()
    cdef cnp.ndarray C = matrix_out(out, m.nv, m.nv)
    coriolis(m, &here.c, data(C))
    return C
