# What the user chose for a solve, and the numbers that bound it.

from rbdyn.contact.cone.local cimport FrictionLaw, Method

cdef enum:
    YIELDS = 4               # times that an island is solved again with more compliance where it is squeezed, at most

cdef struct Settings:
    FrictionLaw law
    Method method
    int max_iterations       # sweeps at most, and as many steps of Newton's method
    bint automatic           # the tolerance, and the sweeps of large islands that tumble, are chosen for each island
    double threshold         # [m/s] residual that sweeps strive for
    double alpha_init, alpha_min, alpha_decay    # alpha <- alpha_min + alpha_decay (alpha - alpha_min) after each sweep
    bint backward            # visit from the last contact to the first
    bint newton              # what sweeps leave is solved by Newton's method


cdef inline int most_iterations(const Settings* s) noexcept nogil:
    """Most sweeps and Newton steps of an island in all.

    A solve takes three times max_iterations, and once more for each time it yields.  Bounces are lowered while
    4 max_iterations are not used up, and twice beyond; and all of it again without bends.
    """
    return 2 * (4 + 3 * (3 + 3 * YIELDS)) * s.max_iterations
