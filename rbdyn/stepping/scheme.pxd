# How velocities become positions in a step, and the theta-scheme of springs and PD control that goes with it.

cdef enum PositionRule:
    TRAPEZOID = 0             # q+ = q (+) dt (u + u+) / 2
    SEMI_IMPLICIT = 1         # q+ = q (+) dt u+
    EULER = 2                 # q+ = q (+) dt u
    RUNGE_KUTTA = 3           # of order 4, of articulated systems in flight; everything else by the trapezoid

# q+ = q (+) dt ((1 - gamma) u + gamma u+); springs and PD act at q + theta (q+ - q), u + theta (u+ - u)
cdef struct Scheme:
    int rule                  # PositionRule
    double theta, gamma
    bint keeps_momentum       # of what floats freely, in its own contacts too

cdef inline Scheme make_scheme(int rule) noexcept nogil:
    cdef Scheme s
    s.rule = rule
    s.keeps_momentum = rule == TRAPEZOID or rule == RUNGE_KUTTA
    s.theta = 1.0 if rule == SEMI_IMPLICIT else 0.5
    s.gamma = 0.0 if rule == EULER else (1.0 if rule == SEMI_IMPLICIT else 0.5)
    return s

cdef inline Scheme explicit_scheme() noexcept nogil:
    """Springs and PD act where they are evaluated: no implicit terms."""
    cdef Scheme s
    s.rule, s.theta, s.gamma, s.keeps_momentum = RUNGE_KUTTA, 0.0, 0.0, False
    return s

cdef inline Scheme in_contact(Scheme s) noexcept nogil:
    """The scheme of what is in contact: the trapezoid's mean velocity would carry bodies into one another.

    The velocity after the impulse is the one that keeps them apart; springs and PD act halfway, as they do in flight.
    """
    if s.rule == TRAPEZOID or s.rule == RUNGE_KUTTA:
        s.rule, s.gamma = SEMI_IMPLICIT, 1.0
    return s
