"""Contact targets from Python: the kernels of targets.pxd with checked names."""

from rbdyn.contact.targets cimport effective_friction, position_target, target_velocity


def target(double v_in, double depth, double dt, *, double restitution=0.0, double threshold=0.0, double slop=0.0):
    """Target normal velocity of a contact: a bounce, or how fast a gap may close.

    Parameters
    ----------
    v_in : float
        Approach speed at the start of the step [m/s], positive when closing.
    depth : float
        Penetration [m]; negative for a gap.
    dt : float
        Time step [s].
    restitution, threshold : float
        ``restitution * max(0, v_in - threshold)`` [m/s].
    slop : float
        A gap of no more [m] counts as none, unless there is restitution.

    Returns
    -------
    v : float
        [m/s]; of a gap ``depth / dt``, or -1e6, no bound, for a pair with restitution that does not meet in the step.
    """
    return target_velocity(v_in, depth, dt, restitution, threshold, slop)


def correction(double depth, double dt, *, double erp=0.2, double slop=1e-5, double fastest=1.0):
    """Speed at which a contact's depth is corrected: poses move by it for one step, velocities do not change.

    Parameters
    ----------
    depth : float
        Penetration [m]; negative for a gap, which may close: ``depth / dt``.
    dt : float
        Time step [s].
    erp, slop, fastest : float
        Share of the depth beyond `slop` [m] corrected in a step, at most at `fastest` [m/s].

    Returns
    -------
    v : float
        Separating speed [m/s].
    """
    return position_target(depth, dt, erp, slop, fastest)


def friction_at(double friction, double static_friction, double static_threshold, double slip_speed):
    """Friction coefficient between static (at rest) and sliding (from `static_threshold` [m/s] on), linear between."""
    return effective_friction(friction, static_friction, static_threshold, slip_speed)
