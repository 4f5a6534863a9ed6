# Target normal velocity v* of a contact, and static friction.  World subtracts v* from the normal part of v_free.

cdef inline double target_velocity(double v_in, double depth, double dt, double erp, double slop, double v_erp_max,
                                   double restitution, double threshold) noexcept nogil:
    """v* [m/s]: the larger of bounce and position correction, never their sum (which would add energy twice).

    v_in       approach speed -n . (v_A - v_B) at the start of the step [m/s] (not the free velocity: with it a bounce
               of restitution 1 keeps the energy exactly under the trapezoid position update)
    depth      penetration [m]; negative for a gap
    erp        share of the depth beyond `slop` [m] corrected in one step, at no more than v_erp_max [m/s]
    bounce     restitution * max(0, v_in - threshold)  (Newton)

    A gap may close, no further: v* = -gap / dt, unless the bodies meet within the step and bounce.
    """
    cdef double bounce = restitution * max(0.0, v_in - threshold)
    if depth < 0.0:
        return bounce if bounce > 0.0 and v_in * dt > -depth else depth / dt
    return max(bounce, min(erp * max(depth - slop, 0.0) / dt, v_erp_max))


cdef inline double effective_friction(double friction, double static_friction, double static_threshold,
                                      double slip_speed) noexcept nogil:
    """mu + (mu_s - mu) max(0, 1 - |v_t| / v_s) with the slip speed |v_t| [m/s] at the start of the step."""
    if not static_threshold > 0.0 or slip_speed >= static_threshold:
        return friction
    return friction + (static_friction - friction) * (1.0 - slip_speed / static_threshold)
