# What a solve by sweeps goes by: what the user chose, and what is chosen for each island (tuning.pyx).

from rbdyn.contact.cone.local cimport FrictionLaw, Method

cdef enum:
    FEW_CONTACTS = 20        # an island of so many is cheap, and rows beside them are a robot's: no sweep is saved
    MOST_SWEEPS = 40         # at most for an island of more
    HASTY_SWEEPS = 10        # the same where many of its contacts slide
    PACE = 2                 # sweeps between two looks at how they get on
    SLIDING = 16             # many: one of so many
    CORNERS = 8              # contacts of one body on two faces: an island of so many is solved to the end
    STRICT_SWEEPS = 20       # before an error in a small island of single bodies counts as too small to be seen
    PLAIN_SWEEPS = 8         # sweeps before acceleration starts: most steps need fewer
    HARD_SWEEPS = 25         # sweeps before contacts that may contradict one another become compliant
    FEWER_SWEEPS = 14        # at most where proximal steps follow: some beyond the direct solves
    DIRECT_EVERY = 2         # sweeps between direct solves
    DIRECT_TRIES = 2         # direct solves of an island in a step, at most; the second if the first halved the error
    THOROUGH_TRIES = 4       # the same where rows stand beside few contacts, whatever becomes of the error
    PATIENT_TRIES = 12       # the same where precision is asked for, whatever becomes of the error
    PATIENT_SWEEPS = 30      # with them, of an island of single bodies that seems to contradict itself
    SOFT_SWEEPS = 50         # at least for islands whose blocks contradict one another, after all others
    YIELDS = 4               # times that an island is solved again with more compliance where it is squeezed, at most
    ACCEPTABLE = 4           # an accelerated step may make the error this many times the best one, for a sweep

cdef struct Settings:
    FrictionLaw law
    Method method
    int max_iterations       # and soft_sweeps more for what contradicts
    int few                  # of them before proximal steps are tried; 0: all
    bint automatic           # what is enough, and how many sweeps, is chosen for each island (tuning.pyx)
    double threshold         # [m/s] on the largest velocity change of a sweep
    double enough            # [m/s] the same after `strict` sweeps, and the direct solve that may follow them
    int strict               # sweeps that have to reach the threshold
    bint hasty               # few sweeps will do where things slide
    bint patient             # a direct solve goes on, however many contacts it has to let go
    bint thorough            # direct solves go on, whatever becomes of the error
    int tries                # direct solves at most
    double alpha_init, alpha_min, alpha_decay    # alpha <- alpha_min + alpha_decay (alpha - alpha_min) after each sweep
    int patience             # give up after so many sweeps without one percent of progress
    bint anderson            # used only while every alpha is 1
    bint direct              # solve what holds together; used only while every alpha is 1
    bint backward            # visit from the last contact to the first
    bint newton              # islands of robots are solved by sweeps and the proximal Newton method


cdef inline int soft_sweeps(const Settings* s) noexcept nogil:
    """How many sweeps at least there are for what contradicts, beyond max_iterations if need be."""
    return min(<int> SOFT_SWEEPS, s.max_iterations)


cdef inline int most_sweeps(const Settings* s) noexcept nogil:
    """Of an island in all: those of a first solve, and as many without its bends.

    Steps of Newton's method count as sweeps: a solve takes three times max_iterations at most.  Bounces are
    lowered while 4 max_iterations are not used up, and twice beyond: 13 times max_iterations.
    """
    return 2 * max(s.max_iterations + PATIENT_SWEEPS + (1 + YIELDS) * SOFT_SWEEPS, 26 * s.max_iterations)
