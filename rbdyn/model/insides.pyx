"""All numbers of a Model as arrays: what tests compare, to the bit."""

import numpy as np

from libc.string cimport memcpy

from rbdyn.arguments.arrays cimport data
from rbdyn.model._model cimport CModel
from rbdyn.model.model cimport Model, Placement
from rbdyn.spatial.constants cimport Inertiad, Xformd


cdef object doubles(const void* x, int rows, int columns):
    a = np.empty((rows, columns))
    memcpy(data(a), x, rows * columns * sizeof(double))
    return a


def numbers_of(Model model not None):
    """Every array of a Model by its name in model/_model.pxd, loops and frames row by row.

    Parameters
    ----------
    model : Model

    Returns
    -------
    numbers : dict
        Name -> array, tuple or number; "frames" is a dict: what a frame can be asked for by -> (body, turn, shifted,
        (12,) rotation and origin).
    """
    cdef CModel* m = model.use()
    cdef Placement place
    cdef int i, k, nb = m.nb
    found = {
        "X_tree": doubles(m.X_tree, nb, <int> (sizeof(Xformd) // sizeof(double))),
        "I_b": doubles(m.I_b, nb, <int> (sizeof(Inertiad) // sizeof(double))),
        "rotor": doubles(m.rotor, m.nv, 1), "parameter": doubles(m.parameter, nb, 1),
        "parent": [m.parent[i] for i in range(nb)], "kind": [m.kind[i] for i in range(nb)],
        "order": [m.order[i] for i in range(nb)],
        "representation": [m.representation[i] for i in range(nb)], "qi": [m.qi[i] for i in range(nb)],
        "vi": [m.vi[i] for i in range(nb)], "nvi": [m.nvi[i] for i in range(nb)],
        "parent_dof": [m.parent_dof[i] for i in range(m.nv)],
        "blocks": [(m.blocks[i].start, m.blocks[i].size) for i in range(m.n_blocks)],
        "sizes": (nb, m.nq, m.nv, m.nc, m.nr, m.n_loops), "mass": m.mass, "trace": m.trace,
        "gravity": (m.gravity.x, m.gravity.y, m.gravity.z),
    }
    loops = []
    for k in range(m.n_loops):
        loops.append((m.loops[k].kind, m.loops[k].parameter, m.loops[k].predecessor, m.loops[k].successor,
                      m.loops[k].row, m.loops[k].rows, m.loops[k].rotor_row, m.loops[k].rotor,
                      *doubles(&m.loops[k].R_before, 1, 9)[0], *doubles(&m.loops[k].p_before, 1, 3)[0],
                      *doubles(&m.loops[k].R_after, 1, 9)[0], *doubles(&m.loops[k].p_after, 1, 3)[0]))
    found["loops"] = loops
    found["frames"] = {key: (place.body, place.turn, bool(place.shifted),
                             (*doubles(&place.R, 1, 9)[0], *doubles(&place.p, 1, 3)[0]))
                       for key, place in model.placements.items()}
    return found
