"""One contact solved from Python: for tests, and for solvers written in Python."""

from rbdyn.contact.cone.block cimport make_cone
from rbdyn.contact.cone.local cimport FrictionLaw, Method, Mode, local_impulse
from rbdyn.spatial._algebra cimport Vec3, scale3, sub3, sym3, vec3

import numpy as np

from rbdyn.contact import options
from rbdyn.contact.views import arrays

MODES = ("open", "stick", "slide", "failed")


def solve_local(G, c, friction, friction_law="coulomb", local_solver="newton", old=(0.0, 0.0, 0.0)):
    """The impulse of one contact with the others held fixed: v = G lam + c.

    Parameters
    ----------
    G : (3, 3) array_like of float
        Symmetric, positive semi-definite block [1/kg]; order t1, t2, normal.
    c : (3,) array_like of float
        Velocity without this contact's impulse [m/s].
    friction : float
        Friction coefficient.
    friction_law : {"coulomb", "raisim"}
    local_solver : {"newton", "bisection"}
    old : (3,) array_like of float
        Impulse before [N s]; matters only for a nearly singular G, where the result moves from it by a proximal step.

    Returns
    -------
    impulse : (3,) ndarray of float64
        [N s]
    mode : str
        "open", "stick", "slide", or "failed" (then `impulse` is `old`).
    """
    cdef double[:, ::1] A = arrays.numbers(G, (3, 3), "G", "[1/kg]")
    cdef double[::1] b = np.array(c, dtype=np.float64)
    cdef double[::1] start = arrays.numbers(old, (3,), "old", "[N s]")
    cdef FrictionLaw law = <FrictionLaw><int>options.choice(friction_law, ("coulomb", "raisim"), "friction_law")
    cdef Method method = <Method><int>options.choice(local_solver, ("newton", "bisection"), "local_solver")
    cdef Mode mode
    cdef Vec3 before = vec3(start[0], start[1], start[2]), lam
    cdef Cone block
    if b.shape[0] != 3:
        raise arrays.ContactError(f"c must have shape (3,) [m/s], got ({b.shape[0]},)")
    make_cone(&block, sym3(A[0, 0], A[0, 1], A[0, 2], A[1, 1], A[1, 2], A[2, 2]), friction)
    lam = local_impulse(&block, sub3(vec3(b[0], b[1], b[2]), scale3(block.rho, before)), before, law, method, &mode)
    return np.array([lam.x, lam.y, lam.z]), MODES[<int>mode]
