# What acts along what a joint without coordinates allows: one that closes a loop, or one between bodies of a World.
#
# And how its rows give way, where that is asked for.

from libc.math cimport INFINITY

from rbdyn.model.joints.dispatch cimport allowed_directions

cdef enum:                    # Key.feature of its blocks, by direction where there are six
    CLOSED = 0                # its rows, or the rotations among them
    SHIFTED = 1               # the translations, where the two give way differently
    PASSIVE = 2               # spring, damper and rotor
    DRY = 8                   # dry friction
    LOWER = 14                # the lower end of its limits
    UPPER = 15
    DRIVE = 16                # its motor
    BELOW = 17                # its velocity limit backwards
    ABOVE = 18
    OTHER = 19                # from here on: what is no other joint's

cdef struct Softness:         # how rows give way [rad / (N m) or m / N]
    double softness           # 0: not at all
    double damping            # beside it [N m s/rad or N s/m]

cdef struct Freedom:          # springs, limits and motors with one degree of freedom, the rest with any
    double damping, friction, rotor
    double static_friction    # >= friction
    double static_threshold   # speed from which it slides
    double stiffness, rest    # where the spring is at rest
    double lower, upper       # may be infinite
    double restitution        # of these stops
    Softness stop             # how these give way, if at all
    double top_speed          # may be infinite
    double kp, kd             # of its motor, as those of joints of the tree
    double target, target_speed, force
    double effort_lower, effort_upper      # <= 0, >= 0, may be infinite

cdef inline bint is_driven(const Freedom* f) noexcept nogil:
    """Whether its motor does anything."""
    return f.kp > 0.0 or f.kd > 0.0 or f.force != 0.0

cdef inline bint is_passive(const Freedom* f) noexcept nogil:
    """Whether a spring, a damper or a rotor acts."""
    return f.rotor > 0.0 or f.damping > 0.0 or f.stiffness > 0.0

cdef inline double spring_theta(double stiffness, double dt, double theta, double mobility) noexcept nogil:
    """Where in the step a spring acts: at its end if it is too stiff for the step to be seen swinging.

    Of a frequency w steps do not tell how it swings beyond (w dt)^2 = 4.
    """
    return 1.0 if stiffness * dt * dt * mobility > 4.0 else theta

cdef inline double damper_theta(double damping, double dt, double theta, double mobility) noexcept nogil:
    """Where in the step a damper acts: later where it would turn a velocity round (joint_forces.pxd)."""
    cdef double x = dt * damping * mobility
    return theta if theta == 0.0 or (1.0 - theta) * x <= 1.0 else 1.0 - 1.0 / x

cdef inline bint acts(const Freedom* f) noexcept nogil:
    """Whether anything acts at all."""
    return (f.damping > 0.0 or f.friction > 0.0 or f.static_friction > 0.0 or f.rotor > 0.0 or f.stiffness > 0.0
            or f.lower > -INFINITY or f.upper < INFINITY or f.top_speed < INFINITY or is_driven(f))

cdef inline int width(int allowed) noexcept nogil:
    """Degrees of freedom."""
    cdef int k, n = 0
    for k in range(6):
        n += allowed >> k & 1
    return n

cdef inline int only_direction(int kind) noexcept nogil:
    """The direction of a joint with one degree of freedom, else -1."""
    cdef int k, allowed = allowed_directions(kind)
    if width(allowed) == 1:
        for k in range(6):
            if allowed >> k & 1:
                return k
    return -1
