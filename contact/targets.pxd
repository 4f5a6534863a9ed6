# Targets of a contact's normal velocity, and static friction.  World subtracts the target from the normal v_free.
#
# Velocities and depths have a target each.  What the velocities are asked for stays: a bounce.  What the depth asks for
# moves the poses once (positions.pxd) and leaves no velocity behind, hence makes no kinetic energy.

from libc.math cimport sqrt

cdef enum:
    UNBOUNDED = 1000000       # [m/s] faster than anything comes


cdef inline double target_velocity(double v_in, double depth, double dt, double restitution,
                                   double threshold, double slop=0.0) noexcept nogil:
    """v* [m/s]: the bounce; for a gap, that it may close and no further, nor at all within `slop` [m].

    v_in       approach speed -n . (v_A - v_B) at the start of the step [m/s] (not the free velocity: with it a bounce
               of restitution 1 keeps the energy exactly under the trapezoid position update)
    depth      penetration [m]; negative for a gap
    bounce     restitution * (v_in - threshold)  (Newton), of a gap if the bodies meet within the step

    Bodies that part already, v_in < -threshold, may turn round by that share of it, and meet in a later step (Moreau
    1988: v+ + e v- >= 0): held apart, the blow that drives one of them back would add energy.  What can bounce has no
    bound before it meets, for the same reason: a row without a bounce would hand on what a blow in this step brings.

    Corners of one face that may close gaps of micrometres, or have none to close, ask a rigid body for velocities that
    it cannot have at once: its load would wander between two diagonals at each of a thousand sweeps.  Within the slop
    they all touch.
    """
    cdef double bounce = restitution * (max(0.0, v_in - threshold) + min(0.0, v_in + threshold))
    if depth >= 0.0:
        return bounce
    if restitution > 0.0:
        return bounce if bounce > 0.0 and v_in * dt > -depth else -UNBOUNDED
    return depth / dt if depth < -slop else 0.0


cdef inline double arriving_velocity(double v_in, double v_free, double gap, double dt, double restitution,
                                     bint by_new) noexcept nogil:
    """v* [m/s or rad/s] of a stop that may bounce: what comes there late in the step does not pass, and bounces later.

    v_in, v_free    how fast it comes at the start, and at the end without impulses of constraints
    by_new          positions follow from the velocity at the end, which may close the gap and no further: whatever
                    brings it, a force or a blow elsewhere, it bounces in the next step
    else            from the mean one, and its end is kept at the stop: under a constant force m a it arrives with
                    v_m^2 = v_in^2 + 2 a gap

    A motion that the step resolves is hardly ever bounded: of the places at which it may meet, a share a dt / v lies
    between v_in dt and v_free dt.
    """
    cdef double way = max(gap, 0.0)
    if restitution > 0.0 and v_in * dt <= way:
        if by_new:
            return -way / dt
        if way < v_free * dt:
            return -sqrt(v_in * v_in + 2.0 * way * (v_free - v_in) / dt)
    return target_velocity(v_in, -gap, dt, restitution, 0.0)


cdef inline double less_uphill(double bounce, double fall, double gap, double dt, double restitution) noexcept nogil:
    """A bounce that makes no energy where a step by the new velocity v* comes between others by the mean one [m/s].

    At its end it is gap + v* dt away, and under a force m a towards the stop all of that is uphill:
    v*^2 / 2 + a (gap + v* dt) = e^2 (v_in^2 / 2 + a gap).  Where all steps are by the new velocity there is nothing to
    take away: what such steps keep has a v dt / 2 more in it, on the way down as on the way up.

    fall    a dt, what forces change of the velocity in the step
    """
    cdef double left
    if not (bounce > 0.0 and fall > 0.0):
        return bounce
    left = fall * fall + bounce * bounce - 2.0 * max(gap, 0.0) * (fall / dt) * (1.0 - restitution * restitution)
    return max(0.0, sqrt(max(left, 0.0)) - fall)


cdef inline double position_target(double depth, double dt, double erp, double slop, double fastest) noexcept nogil:
    """How fast poses part [m/s]: for a share erp of the depth beyond `slop` [m] in one step, at `fastest` at most.

    Less depth is left alone, but grows no more; a gap may close.
    """
    if depth < 0.0:
        return depth / dt
    return min(erp * max(depth - slop, 0.0) / dt, fastest)


cdef inline double effective_friction(double friction, double static_friction, double static_threshold,
                                      double slip_speed) noexcept nogil:
    """mu + (mu_s - mu) max(0, 1 - |v_t| / v_s) with the slip speed |v_t| [m/s] at the start of the step."""
    if not static_threshold > 0.0 or slip_speed >= static_threshold:
        return friction
    return friction + (static_friction - friction) * (1.0 - slip_speed / static_threshold)
