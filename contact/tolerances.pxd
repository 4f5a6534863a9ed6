# The numbers that decide something in a solve.  docs/contact.md, "How a step is solved", has the methods.
#
# A number that is of no source here was chosen by measurements: `python -m benchmarks.ablation` and
# `python -m benchmarks.robots_people_use` show what it does.  Limits of rounding stand with their equations, in cone/
# and laws/.  They are functions, as Cython has no constants of type double that modules share.

# ---- Which residual is small enough, and what a solve may cost (solve/island) ----

# [m/s^2] times the time step: a residual of robots and rows that counts as none
cdef inline double NOT_FELT() noexcept nogil: return 1e-3
# share of the speed of a heap's fastest contact: a residual that counts as none
cdef inline double FINE() noexcept nogil: return 1e-3
# [m] in a step: a heap whose contacts move faster may tumble
cdef inline double TUMBLING() noexcept nogil: return 2e-4
# share of the threshold that a sweep of a heap may change: it shows slow motions in part
cdef inline double SWEPT_SURELY() noexcept nogil: return 0.1
# factor of what a factorisation may cost, where the user asks for precision
cdef inline double PRECISION_COST() noexcept nogil: return 100.0
# share of the threshold that a sweep behind Newton's method may change
cdef inline double LAST_DIGITS() noexcept nogil: return 1e-5

cdef enum:
    FEW_CONTACTS = 20     # more of them between single bodies are a heap
    SLIDING = 6           # a heap tumbles where more than one of so many contacts slides
    TUMBLING_SWEEPS = 10  # of a heap that tumbles, or whose poses are corrected: the next step goes on
    MOST_SWEEPS = 40      # of an island whose factorisation costs too much, and behind Newton's method
    LAST_SWEEPS = 15      # one of so many iterations is kept for sweeps behind Newton's method: 10 of 150 end
    #                       a jam (test_jamming); with a quarter of them joints that contradict need more steps

# ---- Sweeps (solve/sweep) ----

# share of the error before: sweeps that leave more converge slowly
cdef inline double SWEEP_GAIN() noexcept nogil: return 0.5

# ---- Newton's method (solve/newton) ----

# kappa at first; rho is kappa over the mobility of a row [kg]
cdef inline double FIRST_PENALTY() noexcept nogil: return 30.0
# factor by which kappa grows where a step leaves more than GOOD_STEP
cdef inline double PENALTY_GROWTH() noexcept nogil: return 3.0
# kappa at most, where steps change which rows push, stick or slide
cdef inline double LARGEST_PENALTY() noexcept nogil: return 1e3
# kappa at most, where steps change no such mode, or no velocity
cdef inline double LAST_PENALTY() noexcept nogil: return 1e9
# least rho c of a row with compliance c: a hundredth stays of its last impulse (docs/decisions.md)
cdef inline double FORGETTING() noexcept nogil: return 100.0
# kappa times the residual of no impulses over the tolerance, at most: rounding hides what is below 1e-16
cdef inline double HIDING_PENALTY() noexcept nogil: return 1e16
# share of the residual that may be rounding
cdef inline double HIDDEN_SHARE() noexcept nogil: return 0.01
# share of the residual that a good proximal step leaves, at most
cdef inline double GOOD_STEP() noexcept nogil: return 0.3
# share of the residual that a step with the last matrix leaves, at most, if such steps go on
cdef inline double CHORD() noexcept nogil: return 0.5
# accuracy of a proximal step, as a share of the least residual so far
cdef inline double INNER_ACCURACY() noexcept nogil: return 0.03
# accuracy of a proximal step, as a share of the tolerance, if that is more
cdef inline double INNER_TOLERANCE() noexcept nogil: return 0.05
# share of the least residual below which a residual counts as better
cdef inline double SEEN() noexcept nogil: return 0.9
# share of Newton's direction below which a coupled step is given up
cdef inline double SHORTEST() noexcept nogil: return 0.03
# change of velocities by a convex step, as a share of the residual, that counts as none
cdef inline double STILL() noexcept nogil: return 0.01
# factor by which kappa grows where velocities do not change
cdef inline double STILL_GROWTH() noexcept nogil: return 1e3
# share of the residual of no impulses below which a residual is no sign of a contradiction
cdef inline double CONTRADICTION() noexcept nogil: return 1e-8
# kappa with which laws that contradict one another are solved from no impulses
cdef inline double COMPLIANT_PENALTY() noexcept nogil: return 1e6
# share of its mobility that is the compliance of a row that contradicts others
cdef inline double SOFT() noexcept nogil: return 0.3
# factor of what stops the residual of no impulses on the heaviest row: an impulse beyond it ran away
cdef inline double RUNAWAY() noexcept nogil: return 1e4
# share of the residual of no impulses below which a residual has all its digits
cdef inline double DIGITS() noexcept nogil: return 1e-16
# multiplications of a solve for each entry of Y, at most: as long as some 1000 sweeps
cdef inline double AFFORDABLE() noexcept nogil: return 4000.0
# multiplications that assemble a matrix, for each entry of Y
cdef inline double ASSEMBLY() noexcept nogil: return 20.0

cdef enum:
    INNER_STEPS = 20   # of Newton's method for one proximal step, at most
    EASY = 1           # of them in a step that changed no mode: a larger penalty does no harm
    LONGEST_WAIT = 16  # proximal steps between coupled ones that fail
    ENOUGH_STILL = 3   # steps at the last penalty that change next to no velocity
    STUCK = 10         # steps without progress, where rounding may be all that is left
    FEWEST_STEPS = 8   # of Newton's method that are worth a solve
    POLISH_STEPS = 4   # of Newton's method for the last digits
    SLOPES = 8         # evaluations of a line search

# ---- Rows that nothing moves (solve/velocity_space) ----

# share of the largest mobility of an island that rounding of J may make of none
cdef inline double IMMOVABLE() noexcept nogil: return 1e-13

# ---- Bounces that make energy (solvers/bounce) ----

# factor of what rounding may make: a bisection ends where so little work is taken
cdef inline double NEAR_ROUNDING() noexcept nogil: return 3e2
# [m/s] what a solve may leave of its velocities: a bounce of 1 makes and takes nothing
cdef inline double BOUNCE_TOLERANCE() noexcept nogil: return 1e-5

cdef enum:
    BOUNCE_TURNS = 10    # of a bisection; then what is still too much is lowered by its last step, then given up
    BOUNCE_RESERVE = 16  # sweeps: with fewer left, what makes energy is given up at once

# ---- Bodies squeezed by what drives them (solvers/squeeze) ----

# factor of the speed of what drives bodies that is too fast for them, without friction
cdef inline double SLIPPERY_TOO_FAST() noexcept nogil: return 30.0
# factor of the speed of what drives bodies that is too fast for them, where some contact has friction
cdef inline double DRIVEN_TOO_FAST() noexcept nogil: return 8.0
# share of the energy of what impulses change: with less work by what drives, nothing is squeezed
cdef inline double SQUEEZING_WORK() noexcept nogil: return 0.25
# factor of the work that moves the bodies: with more, impulses against one another grow without end
cdef inline double DEAR_SQUEEZE() noexcept nogil: return 1e5
# share of its mobility that is the compliance of a driven contact; ten times as much at each turn
cdef inline double YIELD_OF_DRIVEN() noexcept nogil: return 0.1

# ---- Bends that make energy (solvers/bends) ----

# share of the work of impulses along their rows that bends may gain
cdef inline double BEND_GAIN() noexcept nogil: return 0.35
# [m/s] bends that nobody sees
cdef inline double UNSEEN_BEND() noexcept nogil: return 1e-7

# ---- Impulses that make energy (after/check_impulses) ----

# [m/s] what rounding may make of a velocity
cdef inline double ROUNDED_VELOCITY() noexcept nogil: return 1e-12

# ---- Corrections of poses (after/positions) ----

# [m/s] v_free of a normal that corrects nothing: no impulse
cdef inline double ANYWHERE() noexcept nogil: return 1e6
# [m/s] the slowest correction that is worth a solve: depths come to the slop, not to rest
cdef inline double SLOWEST_CORRECTION() noexcept nogil: return 1e-6
