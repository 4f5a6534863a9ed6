"""Inertias of all bodies at once."""

from typing import NamedTuple

import numpy as np

cimport numpy as cnp

from rbdyn.errors import Error

from rbdyn.algorithms.inputs.state cimport state_of
from rbdyn.arguments.arrays cimport data
from rbdyn.kernels.centroidal cimport subtree_inertia
from rbdyn.kernels.kinematics cimport poses
from rbdyn.model._model cimport CModel
from rbdyn.model.model cimport Placement
from rbdyn.model.state cimport State
from rbdyn.spatial._algebra cimport (
    Inertia, Sym3, Vec3, apply_ti, neg3, scale3, shift_s, sub_s, tmul3, transpose3, xform, zero3,
)
from rbdyn.spatial.constants cimport load_inertia


class Inertias(NamedTuple):
    """Mass, centre of mass and rotational inertia of n bodies.

    Attributes
    ----------
    mass : (n,) ndarray
        [kg].
    com : (n, 3) ndarray
        Centres of mass [m]: in the bodies' frames, or in the world.
    inertia : (n, 3, 3) ndarray
        About the centres of mass [kg m^2]: in the bodies' axes, or in those of the world.
    """

    mass: object
    com: object
    inertia: object


cdef void write(Inertia A, double* mass, double* com, double* inertia) noexcept nogil:
    """One of them: about its centre of mass."""
    cdef Vec3 c = scale3(1.0 / A.m, A.h) if A.m > 0.0 else zero3()
    cdef Sym3 J = sub_s(A.I_o, shift_s(c, scale3(0.5, A.h)))       # parallel-axis theorem: less m (c.c 1 - c c^T)
    mass[0] = A.m
    com[0], com[1], com[2] = c.x, c.y, c.z
    inertia[0], inertia[1], inertia[2] = J.xx, J.xy, J.xz
    inertia[3], inertia[4], inertia[5] = J.xy, J.yy, J.yz
    inertia[6], inertia[7], inertia[8] = J.xz, J.yz, J.zz


cdef object all_of(object state, object expressed_in, bint composite):
    cdef State here = state_of(state)
    cdef CModel* m = here.use()
    cdef Placement place
    cdef list names = list(here.model.body_names)
    cdef cnp.ndarray mass = np.empty(len(names))
    cdef cnp.ndarray com = np.empty((len(names), 3))
    cdef cnp.ndarray inertia = np.empty((len(names), 3, 3))
    cdef Inertia A, whole
    cdef int i, k
    if not (isinstance(expressed_in, str) and expressed_in in ("body", "world")):
        raise Error(f'expressed_in must be "body" or "world", got {expressed_in!r}')
    poses(m, &here.c)
    whole = subtree_inertia(m, &here.c, 0)
    for k in range(len(names)):
        place = here.model.find(names[k])
        i = place.body
        A = load_inertia(m.I_b + i) if not composite else here.c.Ic[i] if i > 0 else whole
        if expressed_in == "world":
            A = apply_ti(xform(transpose3(here.c.R[i]), here.c.p[i]), A)
        else:
            A = apply_ti(xform(place.R, neg3(tmul3(place.R, place.p))), A)
        write(A, data(mass) + k, data(com) + 3 * k, data(inertia) + 9 * k)
    return Inertias(mass, com, inertia)


def body_inertias(state, expressed_in="body"):
    """Inertias of all moving bodies, each with what fixed joints hold on it, and of the root.

    Parameters
    ----------
    state : State
        Configuration q; v is not read.
    expressed_in : {"body", "world"}
        Axes and origins: each body's own, or the world's.

    Returns
    -------
    inertias : Inertias
        Arrays `mass` (n,) [kg], `com` (n, 3) [m] and `inertia` (n, 3, 3) about it [kg m^2], fresh, in the order of
        `Model.body_names`.

    Raises
    ------
    Error
        If `expressed_in` is neither.
    """
    return all_of(state, expressed_in, False)


def composite_inertias(state, expressed_in="body"):
    """Inertias of all moving bodies, each with all that hangs on it, as if every joint beyond it were locked.

    Parameters
    ----------
    state : State
        Configuration q; v is not read.
    expressed_in : {"body", "world"}
        Axes and origins: each body's own, or the world's.

    Returns
    -------
    inertias : Inertias
        Arrays `mass` (n,) [kg], `com` (n, 3) [m] and `inertia` (n, 3, 3) about it [kg m^2], fresh, in the order of
        `Model.body_names`.

    Raises
    ------
    Error
        If `expressed_in` is neither.

    Notes
    -----
    RBDA (2008), table 6.2, p. 107.
    """
    return all_of(state, expressed_in, True)
