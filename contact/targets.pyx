"""Contact targets from Python: the kernels of targets.pxd with checked names."""

from rbdyn.contact.targets cimport effective_friction, target_velocity


def target(double v_in, double depth, double dt, *, double erp=0.2, double slop=1e-5, double v_erp_max=1.0,
           double restitution=0.0, double threshold=0.0):
    """Target normal velocity of a contact: the larger of bounce and position correction.

    Parameters
    ----------
    v_in : float
        Approach speed at the start of the step [m/s], positive when closing.
    depth : float
        Penetration [m]; negative for a gap, whose target is ``depth / dt``.
    dt : float
        Time step [s].
    erp, slop, v_erp_max : float
        Share of the depth beyond `slop` [m] corrected in a step, at most at `v_erp_max` [m/s].
    restitution, threshold : float
        ``restitution * max(0, v_in - threshold)`` [m/s].

    Returns
    -------
    v : float
        [m/s]
    """
    return target_velocity(v_in, depth, dt, erp, slop, v_erp_max, restitution, threshold)


def friction_at(double friction, double static_friction, double static_threshold, double slip_speed):
    """Friction coefficient between static (at rest) and sliding (from `static_threshold` [m/s] on), linear between."""
    return effective_friction(friction, static_friction, static_threshold, slip_speed)
