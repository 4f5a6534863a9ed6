"""What forward dynamics says of joints that move no inertia."""

from rbdyn.errors import MechanismError

from rbdyn.model._model cimport CData
from rbdyn.model.model cimport Model


cdef int refuse_singular(Model model, const CData* d) except -1:
    """MechanismError if a pivot of the articulated-body factorisation is not positive."""
    cdef int i, j
    if singular(&model.c, d, &i, &j):
        raise MechanismError(
            f"joint {model.joint_names[i - model.base]!r} moves no positive inertia along its degree of freedom {j}: "
            f"give body {model.body_names[i - model.base]!r}, or what hangs on it, a positive definite inertia"
        )
    return 0
