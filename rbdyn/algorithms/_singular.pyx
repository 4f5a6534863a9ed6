"""What forward dynamics says of joints that move no inertia."""

from rbdyn.errors import MechanismError

from rbdyn.model._model cimport CData, CModel
from rbdyn.model.model cimport Model


cdef int refuse_singular(Model model, const CData* d) except -1:
    """MechanismError if a pivot of the articulated-body factorisation is not positive."""
    cdef const CModel* m = &model.c
    cdef int i, j
    for i in range(1, m.nb):
        for j in range(m.nvi[i]):
            if not d.D[6 * (m.vi[i] + j) + (j if m.nvi[i] > 1 else 0)] > 0.0:
                raise MechanismError(
                    f"joint {model.joint_names[i - model.base]!r} moves no positive inertia along its degree of "
                    f"freedom {j}: give body {model.body_names[i - model.base]!r}, or what hangs on it, a positive "
                    "definite inertia"
                )
    return 0
