"""What poses do beyond velocities, of a contact problem without a World: for tests of the position problem."""

from libc.string cimport memset

from rbdyn.contact.after.positions cimport PositionProblem, asks_for_positions, release_positions, write_positions
from rbdyn.contact.after.velocities cimport Velocities, cone_speed, find_velocities, release_velocities, row_speed
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.solver cimport ContactSolver, solve_contacts
from rbdyn.contact.views.view cimport ContactView

import numpy as np


def pose_speeds(ContactView problem not None, ContactSolver solver not None, position_target):
    """The speeds at which poses move beyond the velocities that a solved problem leads to.

    Parameters
    ----------
    problem : Problem
        Its impulses are those that act.
    solver : ContactSolver
        Solves the position problem.
    position_target : (m,) array_like of float
        The speed asked for along each row [m/s]; ``-inf`` where nothing is corrected.

    Returns
    -------
    speeds : (m,) ndarray
        Along each row [m/s].
    blocks : int
        How many blocks the position problem has; 0 if none is needed.
    """
    cdef double[::1] wanted = np.array(position_target, dtype=np.float64).ravel()
    cdef ContactProblem p = problem.begin()[0]
    cdef PositionProblem q
    cdef Velocities u
    cdef int r
    if wanted.shape[0] != p.n_rows:
        raise ValueError(f"position_target must have {p.n_rows} numbers, got {wanted.shape[0]}")
    speeds = np.zeros(p.n_rows)
    cdef double[::1] speed = speeds
    memset(&q, 0, sizeof(PositionProblem))
    memset(&u, 0, sizeof(Velocities))
    if p.n_rows > 0:
        p.position_target = &wanted[0]
    try:
        if not asks_for_positions(&p):
            return speeds, 0
        write_positions(&q, &p, &u)
        solve_contacts(solver, &q.problem)
        find_velocities(&u, &q.problem, NULL)
        for r in range(p.n_rows):
            if r < 3 * p.n_cones:
                speed[r] = cone_speed(&u, &p, r // 3, r % 3)
            else:
                speed[r] = row_speed(&u, &p, r - 3 * p.n_cones)
        return speeds, q.problem.n
    finally:
        release_positions(&q)
        release_velocities(&u)
