# All that a step works on, in C: what things are, where they are, how they are driven, and scratch, each by itself.
# Arrays by index: single bodies and articulated systems are contiguous.  Whoever adds and removes owns the memory.
# Spatial vectors are angular part first; "world" means world axes.

from rbdyn.collision._types cimport ContactBuffer, Pose
from rbdyn.kernels.cod cimport Cod, cod_place, cod_size
from rbdyn.kernels.munthe_kaas cimport Stages
from rbdyn.memory cimport Arena, place
from rbdyn.model._model cimport CData, CModel
from rbdyn.spatial._algebra cimport Force, Mat3, Motion, Sym3, Vec3
from rbdyn.stepping.freedom cimport Freedom, Softness
from rbdyn.stepping.links cimport N_LINK_KINDS, LinkList
from rbdyn.stepping.scheme cimport Scheme

cdef enum BodyType:
    STATIC = 0                # never moves
    KINEMATIC = 1             # moves with the velocity it is given; forces do not change it
    DYNAMIC = 2

# ---- single bodies: the frame sits at the centre of mass ----------------------------------------------------------

cdef struct SingleParameters:
    int type                  # BodyType
    int handle                # its body handle: index of its pose
    double mass               # [kg]
    Sym3 I_b                  # inertia about the centre of mass, body axes [kg m^2]
    Sym3 inverse_I_b          # its inverse, body axes
    bint isotropic            # I_b is a multiple of the identity

cdef struct SingleState:
    double q[4]               # orientation [w, x, y, z]
    Mat3 R                    # body to world axes
    Vec3 p                    # centre of mass, world [m]
    Vec3 v                    # velocity of the centre of mass, world [m/s]
    Vec3 w                    # angular velocity, world [rad/s]

cdef struct SingleControl:
    Vec3 force                # external force of this step, world [N]
    Vec3 torque               # external torque of this step about the centre of mass, world [N m]
    Mat3 lever                # sum of r f^T: r from there to where a force acts, body axes [m], and f, world [N]

cdef struct Blow:
    bint falls                # in this step
    double at                 # after which share of it
    bint fast                 # of bodies that come by a good part of their size: what follows is of then

cdef struct SingleScratch:
    double inverse_mass       # [1/kg], 0 unless dynamic
    Sym3 inverse_I            # world axes, 0 unless dynamic [1/(kg m^2)]
    Vec3 v_free, w_free       # velocity without contact impulses
    Vec3 dv, dw               # velocity change by contact impulses
    bint in_contact           # an impulse acts on it that is no bounce
    double turning            # (w dt)^2, about, with which taut wires swing it (constraints/bodies/turning.pxd)
    bint touched              # a contact or a constraint between bodies is on it in this step, if some World has these
    Blow blow                 # of something that it meets in this step
    Mat3 R_met                # body to world axes
    double q_met[4]           # the same
    Vec3 w_now                # angular velocity before the blow [rad/s]; of what meets nothing, that of the start
    double moving             # share of the rest of the step in which it moves by its new velocity
    Vec3 drift                # with what it moves after that, without turning [m/s]
    int company               # of those that wait for one another then, a first one; that stands for all:
    bint anchored             # one of them waits for what no impulse moves
    double together           # their mass [kg]
    Vec3 held                 # the speed of what they wait for, if anchored [m/s]
    bint grounded             # it is in contact, by way of others if need be, with something that no impulse moves
    double before             # share of the step in which it moves as before; 1/2, less if a bounce comes soon
    bint pushed               # its pose is corrected in this step
    double push_share         # of what corrects it, that is done
    Vec3 push_v, push_w       # what its pose moves with beyond its velocity, for this step only
    Vec3 v_next, w_next       # end of the step
    double q_next[4]
    Vec3 p_next
    Vec3 acceleration         # (v+ - v) / dt of the latest step, if the scene keeps accelerations
    Vec3 angular_acceleration

cdef struct Rest:             # whether a body sleeps: sleeping.pxd
    double still              # how long it has been slow [s]
    long island               # number of those with which it sleeps, 0 for one that is awake

# ---- articulated systems ----------------------------------------------------------------------------------------

cdef struct Limit:            # of one degree of freedom
    int q, dof                # its indices in q and v
    bint is_pair              # q, and the number after it, are the sine and the cosine of its angle: coordinates.pxd
    double lower, upper       # [rad or m] one of them may be infinite
    double restitution        # share of the speed that comes back
    Softness soft             # how it gives way, if at all

cdef struct SpeedLimit:       # of a joint with one degree of freedom
    int dof
    double speed              # [rad/s or m/s]

cdef struct Friction:         # dry, of a degree of freedom
    int dof
    double sliding            # [N m or N]
    double resting            # at most at speed 0 [N m or N], >= sliding
    double threshold          # speed from which it slides [rad/s or m/s]

cdef enum FrictionState:      # of a degree of freedom in a step
    AS_IT_MOVES = 0           # it slides or rests as at the start of the step
    COMES_TO_REST = 1         # it slid, and turns round in the step
    BREAKS_LOOSE = 2          # static friction cannot hold it

cdef struct Mimic:            # q = multiplier q_leader + offset, both joints with one degree of freedom
    int q, dof
    int leader_q, leader_dof
    double multiplier, offset

cdef struct CouplingTerm:     # a coordinate of a joint with one
    int handle                # body handle of its system's internal body 0
    int q, dof
    double coefficient

cdef struct Tie:              # a coupling of coordinates of one system, which its free motion obeys
    int n
    const CouplingTerm* term  # (n,)
    Tie* next                 # of the same system
    double force              # what it did in the latest acceleration
    double impulse            # and in the free motion of the step

cdef struct BallLimit:        # of a spherical joint
    int q, dof                # its first indices in q and v
    Vec3 axis                 # of the twist, unit length, the same before and after the joint at rest
    double angle              # largest rotation [rad]
    double cone               # largest angle between the axis before and after [rad]
    double twist_lower, twist_upper    # [rad]

cdef enum JointForce:         # what acts on degrees of freedom by rows, as SystemScratch.by_rows keeps it
    LIMIT_FORCE
    VELOCITY_LIMIT_FORCE
    FRICTION_FORCE
    MIMIC_FORCE
    JOINT_FORCES

cdef enum MotorState:         # of an actuator in a step
    MOTOR_WITHIN = 0          # its implicit force is within its limits
    MOTOR_AT_LOWER = 1        # beyond: it gives its limit
    MOTOR_AT_UPPER = 2
    MOTOR_IN_ROW = 3          # one or the other: a row of the problem tells

cdef struct SystemControl:    # written between steps
    bint pd                   # control mode: PD plus feed-forward
    bint motor_limits         # effort limits bound the whole PD law, and not its explicit part alone
    bint has_wrenches         # external wrenches act in this step
    bint springs              # some stiffness is not 0
    bint inloop               # its loops are rows of the problem, and not eliminated
    Freedom* loop             # (n_loops,) what acts along what loop joints allow
    Softness* soft            # (n_loops, 2) how the rows of loop joints give way, if they are not eliminated
    bint tied                 # its loops tie trees to the root, or to one another
    double* kp                # (nv,) PD gains [N m/rad or N/m]
    double* kd                # (nv,) [N m s/rad or N s/m]
    double* q_ref             # (nq,) PD target
    double* v_ref             # (nv,)
    double* tau_ff            # (nv,) feed-forward force [N m or N]
    double* effort_lower      # (nv,) what the actuator can give, <= 0, may be infinite
    double* effort_upper      # (nv,) >= 0
    double* damping           # (nv,) passive
    double* inertia           # (nv,) pivots of M = L^T D L, with rotors [kg m^2 or kg]: joint_forces.pxd
    double* stiffness         # (nv,) passive springs
    double* q_spring          # (nq,) where the springs rest
    double* no_load_speed     # (nv,) at which an actuator gives nothing more, may be infinite [rad/s or m/s]
    double* lower             # (nv,) position limits of joints with one degree of freedom, may be infinite [rad or m]
    double* upper             # (nv,)
    double* restitution       # (nv,) of these stops
    double* limit_softness    # (nv,) how position limits, of ball joints too, give way [rad/(N m) or m/N]
    double* limit_damping     # (nv,) beside it [N m s/rad or N s/m]
    double* mimic_softness    # (nv,) how joints that follow others do, for a unit of their own coordinate
    double* mimic_damping     # (nv,)
    double* top_speed         # (nv,) velocity limits, may be infinite [rad/s or m/s]
    double* friction          # (nv,) dry [N m or N]
    double* static_friction   # (nv,) the same at rest, >= friction
    double* static_threshold  # (nv,) speed from which it slides [rad/s or m/s]
    int n_limits, n_speed_limits, n_slides, n_mimics, n_balls
    Limit* limit              # (n_limits,) of these the finite ones, room for nv
    SpeedLimit* speed_limit   # (n_speed_limits,) likewise
    Friction* slide           # (n_slides,) those that are not 0
    Mimic* mimic              # (n_mimics,)
    BallLimit* ball           # (n_balls,)
    Force* wrench             # (nb,) external torques and forces of this step, world axes
    Mat3* lever               # (nb,) sum of r f^T: r from the internal origin to where a force acts, body axes [m], f

cdef struct LoopForce:        # spring, damper, rotor and motor along a direction that an eliminated loop joint allows
    int loop, direction
    double share              # what these are: impulses of this time [s], or forces with 1
    double push, weight       # it gives push - weight rate; spring, damper and rotor
    double drive_push, drive_weight    # and its motor, as if nothing bounded it
    double start, rate        # velocity along the direction at the start and at the end of the step, or acceleration

cdef struct LoopScratch:      # of a system's loops, in a step
    bint eliminated           # other constraints see the closed mechanism
    bint normal               # they are independent, and solved by normal equations (stepping/loops/normal.pxd)
    bint middle               # what is decomposed are the rows in the middle of the step, not at its start
    int free                  # its degrees of freedom: nv less the rank of the loops
    Cod Y                     # (nv, nc) their rows in normalised coordinates, scaled to length 1: decomposed
    double* K                 # (nc + nr, nv) the rows themselves, where positions are closed; or Y by coordinates
    double* scale             # (nc,) by what each row was multiplied; 0 for one that is nothing
    double* e                 # (nc + nr,) position errors [rad, m]
    double* b                 # (nc + nr,) right side
    double* lam               # (nc,) impulses along the rows [N m s, N s]
    double* along             # (6 n_loops,) and along what the joints allow
    double* force             # (6 n_loops,) what they exerted in the latest step, in their axes [N m, N]
    bint held                 # a limit of a loop joint holds it in this step
    int* near                 # (n_loops,) ends of limits that they could pass (constraints/bodies/freedoms.pxd)
    double dt                 # of the step [s], and how it is taken
    Scheme scheme
    int n_forces              # directions along which something acts (stepping/loops/forces.pxd)
    LoopForce* act            # (n_forces,) room for 6 n_loops
    double* F                 # (n_forces, nv) their rows, entries of Q^T y
    double* G                 # (free, free) what they add to the free coordinates: a Cholesky factor
    int* motor                # (n_loops,) MotorState
    double* drive             # (n_loops, 2) impulses of their motors, and their mean forces in the latest step
    double* y                 # (nv,) scratch, as are x, t and u
    double* x                 # (nv,)
    double* t                 # (nv,)
    double* u                 # (nv,)
    double* q                 # (nq,) scratch
    double* load              # (nv,) what loops have to do in this step: entries of Q^T x, of the first rank

cdef struct SystemScratch:    # written within a step
    int coordinate            # first of its nv normalised coordinates in this step's problem
    bint active               # a constraint acts on it in this step
    double* error             # (nv,) q_ref (-) q
    double* drive             # (nv,) what the actuator would apply at unchanged velocity
    double* own               # (nv,) and less for each (u+ - u) / dt: its share of `extra`, if it is implicit
    double* fall              # (nv,) less of its limit in the direction of motion for each (u+ - u) / dt
    double* lowest            # (nv,) what it can give at the velocity at the start of the step [N m or N]
    double* highest           # (nv,)
    int* motor                # (nv,) MotorState
    double* motor_impulse     # (nv,) of those that a row decides
    int n_motor_rows
    int* level                # (nv,) 1: its limits do not fall with the speed in this step, in which it turned round
    int n_level
    double* applied           # (nv,) what the actuators did: command plus the implicit part of the PD law [N m or N]
    double* tau               # (nv,) all explicit joint forces
    double* extra             # (nv,) what implicit terms add to the diagonal of M
    const double* implicit    # extra, or NULL if all of it is 0
    double* vd                # (nv,) free acceleration
    double* v_free            # (nv,) velocity without constraint impulses, but for those of ties
    int n_ties                # mimics and couplings that its free motion obeys (flight/ties.pxd)
    Tie* tie                  # of these the couplings
    double* tied              # (nv,) what ties do in the latest acceleration [N m or N]
    double* tie_impulse       # (nv,) and did in the free motion of the step [N m s or N s]
    double* tie_room          # (5, nv) scratch
    double* v_next            # (nv,) end of the step
    double* q_next            # (nq,)
    double* z                 # (nv,) constraint impulse in normalised coordinates
    bint touched              # a contact is on it in this step
    bint outside              # one with anything but the same tree of it
    bint grounded             # it is in contact, by way of others if need be, with something that no impulse moves
    Blow blow                 # of something that it meets in this step
    bint in_contact           # something pushes it that is no bounce, or holds it: a constraint between bodies
    bint bounces              # off a stop of its own in this step
    bint stopped              # a stop was found to hold its loops in this step
    double row_work           # what rows do to its energy then [J]
    bint pushed               # its pose is corrected in this step
    double push_share         # of what corrects it, that is done
    double* push              # (nv,) what it moves with beyond its velocity then, for this step only
    int n_near                # ends of limits that it could pass in this step
    int* near                 # (n_near,) twice the limit, 1 more for its upper end
    int n_passed              # ends of limits that the end of the step showed to be passed
    int* passed               # (n_limits,) which
    int n_speeding            # ends of velocity limits that have rows in this step
    int* speeding             # (n_speed_limits,) which
    int n_judged              # frictions of which the step's end told whether they hold
    int* hold                 # (n_slides,) FrictionState
    double* by_rows           # (JOINT_FORCES, nv) impulses on degrees of freedom [N m s or N s]
    double* at_balls          # (n_balls, 4) impulses at the largest angle, the cone, the least and the largest twist
    double* passive           # (nv,) springs and damping, their implicit part once the step is done [N m or N]
    double lasted             # the step in which all this acted [s]
    bint* held                # (nv,) a limit holds it in this step: its position follows from v_next alone
    Motion* twist             # (nb,) free velocity of each body, world axes about the origin (active systems)
    Motion* S                 # (nv,) normalised motion columns, world axes about `origin`
    Force* U                  # (nv,) normalised I^A S, world axes about `origin`
    Motion* change            # (nb,) velocity change of each body, world axes about `origin`
    double* L                 # (nv, 6) the factors D of this step, out of reach of algorithms on the same State
    Vec3 origin               # reference point of S, U and change, world [m]
    double* acceleration      # (nv,) (v+ - v) / dt of the latest step, if the scene keeps accelerations
    bint kept                 # the latest step ended by the laws of momentum: what follows, and ahead.X, are of its end
    Force* momentum           # (nb,) of the tree of a floating base, about its centre of mass, axes before the joint
    Vec3* centre              # (nb,) its centre of mass from the base's origin, same axes [m]
    Stages stages             # of the Runge-Kutta method
    double turning            # how fast some joint turns at most at the start of the step [rad/s]
    int parts                 # in which its free motion was taken, and q_free and free_energy are known; 0: not
    double* q_free            # (nq,) where it is at the end of the step without constraint impulses
    double free_energy        # and its energy there [J]
    double* mean_applied      # (nv,) what the actuators did on the way, in several parts
    double* q_start           # (nq,) where the step began: while its free motion is taken in parts, and once it is done
    double* v_start           # (nv,)
    double took               # [s] of the latest step; 0: none was done, or one failed, or it was set by hand since
    bint loaded               # something from outside acts on its bodies in this step: loads are known, else they are 0
    Force* loads              # (nb,) impulses of given wrenches, contacts and constraints between bodies on each body,
    #                           moments about its internal origin at the start of the step; world axes [N m s, N s]
    LoopScratch loops

cdef struct System:
    const CModel* m
    CData* d                  # of its State: q and v
    CData ahead               # where it will be: in the middle of the step, then at its end
    int handle                # body handle of its internal body 0; the others follow
    SystemControl control
    SystemScratch work
    Arena control_memory, work_memory

cdef inline void lay_out_control(SystemControl* c, Arena* a, const CModel* m) noexcept nogil:
    """Place the arrays of control; twice, as memory.pxd says."""
    c.kp = <double*> place(a, m.nv, sizeof(double))
    c.kd = <double*> place(a, m.nv, sizeof(double))
    c.q_ref = <double*> place(a, m.nq, sizeof(double))
    c.v_ref = <double*> place(a, m.nv, sizeof(double))
    c.tau_ff = <double*> place(a, m.nv, sizeof(double))
    c.effort_lower = <double*> place(a, m.nv, sizeof(double))
    c.effort_upper = <double*> place(a, m.nv, sizeof(double))
    c.damping = <double*> place(a, m.nv, sizeof(double))
    c.inertia = <double*> place(a, m.nv, sizeof(double))
    c.stiffness = <double*> place(a, m.nv, sizeof(double))
    c.q_spring = <double*> place(a, m.nq, sizeof(double))
    c.no_load_speed = <double*> place(a, m.nv, sizeof(double))
    c.lower = <double*> place(a, m.nv, sizeof(double))
    c.upper = <double*> place(a, m.nv, sizeof(double))
    c.restitution = <double*> place(a, m.nv, sizeof(double))
    c.limit_softness = <double*> place(a, m.nv, sizeof(double))
    c.limit_damping = <double*> place(a, m.nv, sizeof(double))
    c.mimic_softness = <double*> place(a, m.nv, sizeof(double))
    c.mimic_damping = <double*> place(a, m.nv, sizeof(double))
    c.top_speed = <double*> place(a, m.nv, sizeof(double))
    c.friction = <double*> place(a, m.nv, sizeof(double))
    c.static_friction = <double*> place(a, m.nv, sizeof(double))
    c.static_threshold = <double*> place(a, m.nv, sizeof(double))
    c.loop = <Freedom*> place(a, m.n_loops, sizeof(Freedom))
    c.soft = <Softness*> place(a, 2 * m.n_loops, sizeof(Softness))
    c.limit = <Limit*> place(a, m.nv, sizeof(Limit))
    c.speed_limit = <SpeedLimit*> place(a, m.nv, sizeof(SpeedLimit))
    c.slide = <Friction*> place(a, m.nv, sizeof(Friction))
    c.mimic = <Mimic*> place(a, m.nv, sizeof(Mimic))
    c.ball = <BallLimit*> place(a, m.nb, sizeof(BallLimit))
    c.wrench = <Force*> place(a, m.nb, sizeof(Force))
    c.lever = <Mat3*> place(a, m.nb, sizeof(Mat3))

cdef inline void lay_out_loops(LoopScratch* w, Arena* a, const CModel* m) noexcept nogil:
    """Place the arrays of loops, which are empty without any."""
    cdef double* memory = <double*> place(a, cod_size(m.nv, m.nc) if m.nc else 0, sizeof(double))
    cdef size_t one = 1 if m.n_loops else 0
    if memory is not NULL:
        cod_place(&w.Y, m.nv, m.nc, memory)
    w.K = <double*> place(a, one * (m.nc + m.nr) * m.nv, sizeof(double))
    w.scale = <double*> place(a, m.nc, sizeof(double))
    w.e = <double*> place(a, one * (m.nc + m.nr), sizeof(double))
    w.b = <double*> place(a, one * (m.nc + m.nr), sizeof(double))
    w.lam = <double*> place(a, m.nc, sizeof(double))
    w.along = <double*> place(a, 6 * m.n_loops, sizeof(double))
    w.force = <double*> place(a, 6 * m.n_loops, sizeof(double))
    w.near = <int*> place(a, m.n_loops, sizeof(int))
    w.act = <LoopForce*> place(a, 6 * m.n_loops, sizeof(LoopForce))
    w.F = <double*> place(a, 6 * m.n_loops * m.nv, sizeof(double))
    w.G = <double*> place(a, one * m.nv * m.nv, sizeof(double))
    w.motor = <int*> place(a, m.n_loops, sizeof(int))
    w.drive = <double*> place(a, 2 * m.n_loops, sizeof(double))
    w.y = <double*> place(a, one * m.nv, sizeof(double))
    w.x = <double*> place(a, one * m.nv, sizeof(double))
    w.t = <double*> place(a, one * m.nv, sizeof(double))
    w.u = <double*> place(a, one * m.nv, sizeof(double))
    w.q = <double*> place(a, one * m.nq, sizeof(double))
    w.load = <double*> place(a, one * m.nv, sizeof(double))

cdef inline void lay_out_scratch(SystemScratch* w, Arena* a, const CModel* m) noexcept nogil:
    """Place the arrays of scratch; twice, as memory.pxd says."""
    w.error = <double*> place(a, m.nv, sizeof(double))
    w.drive = <double*> place(a, m.nv, sizeof(double))
    w.own = <double*> place(a, m.nv, sizeof(double))
    w.fall = <double*> place(a, m.nv, sizeof(double))
    w.lowest = <double*> place(a, m.nv, sizeof(double))
    w.highest = <double*> place(a, m.nv, sizeof(double))
    w.motor = <int*> place(a, m.nv, sizeof(int))
    w.level = <int*> place(a, m.nv, sizeof(int))
    w.motor_impulse = <double*> place(a, m.nv, sizeof(double))
    w.applied = <double*> place(a, m.nv, sizeof(double))
    w.tau = <double*> place(a, m.nv, sizeof(double))
    w.extra = <double*> place(a, m.nv, sizeof(double))
    w.vd = <double*> place(a, m.nv, sizeof(double))
    w.v_free = <double*> place(a, m.nv, sizeof(double))
    w.tied = <double*> place(a, m.nv, sizeof(double))
    w.tie_impulse = <double*> place(a, m.nv, sizeof(double))
    w.tie_room = <double*> place(a, 5 * m.nv, sizeof(double))
    w.v_next = <double*> place(a, m.nv, sizeof(double))
    w.q_next = <double*> place(a, m.nq, sizeof(double))
    w.z = <double*> place(a, m.nv, sizeof(double))
    w.push = <double*> place(a, m.nv, sizeof(double))
    w.near = <int*> place(a, 2 * m.nv, sizeof(int))
    w.passed = <int*> place(a, m.nv, sizeof(int))
    w.speeding = <int*> place(a, m.nv, sizeof(int))
    w.hold = <int*> place(a, m.nv, sizeof(int))
    w.by_rows = <double*> place(a, JOINT_FORCES * m.nv, sizeof(double))
    w.at_balls = <double*> place(a, 4 * m.nb, sizeof(double))
    w.passive = <double*> place(a, m.nv, sizeof(double))
    w.held = <bint*> place(a, m.nv, sizeof(bint))
    w.acceleration = <double*> place(a, m.nv, sizeof(double))
    w.twist = <Motion*> place(a, m.nb, sizeof(Motion))
    w.change = <Motion*> place(a, m.nb, sizeof(Motion))
    w.S = <Motion*> place(a, m.nv, sizeof(Motion))
    w.U = <Force*> place(a, m.nv, sizeof(Force))
    w.L = <double*> place(a, m.nv, 6 * sizeof(double))
    w.momentum = <Force*> place(a, m.nb, sizeof(Force))
    w.centre = <Vec3*> place(a, m.nb, sizeof(Vec3))
    w.q_free = <double*> place(a, m.nq, sizeof(double))
    w.mean_applied = <double*> place(a, m.nv, sizeof(double))
    w.q_start = <double*> place(a, m.nq, sizeof(double))
    w.v_start = <double*> place(a, m.nv, sizeof(double))
    w.loads = <Force*> place(a, m.nb, sizeof(Force))
    lay_out_loops(&w.loops, a, m)
    w.stages.q = <double*> place(a, m.nq, sizeof(double))
    w.stages.v = <double*> place(a, m.nv, sizeof(double))
    w.stages.theta = <double*> place(a, m.nv, sizeof(double))
    w.stages.K = <double*> place(a, m.nv, sizeof(double))
    w.stages.A = <double*> place(a, m.nv, sizeof(double))
    w.stages.mean_K = <double*> place(a, m.nv, sizeof(double))
    w.stages.mean_A = <double*> place(a, m.nv, sizeof(double))

# ---- body handles and materials ---------------------------------------------------------------------------------

cdef enum BodyKind:
    WORLD_BODY = 0            # the world itself: static
    SINGLE_BODY = 1
    SYSTEM_BODY = 2

cdef struct BodyHandle:       # what a body index of collision stands for
    int kind                  # BodyKind
    int index                 # of the single body or system
    int body                  # internal body of the system

cdef struct PairProperties:   # of two materials that meet, as in rbdyn.contact.MaterialPair
    double friction, restitution, threshold, static_friction, static_threshold
    double torsional_friction, rolling_friction

cdef struct MaterialPairs:    # those with properties of their own, sorted, each in the rows of both materials
    const int* start          # (n_materials + 1,) row of a material: start[a] to start[a + 1]
    const int* other          # the other material, ascending within a row
    const int* index          # into `properties`
    bint roll                 # some pair has torsional or rolling friction
    const PairProperties* properties      # the first is that of all pairs that are not listed

cdef inline const PairProperties* pair_properties(const MaterialPairs* pairs, int a, int b) noexcept nogil:
    """What happens where materials a and b meet: bisection in the row of a."""
    cdef int low = pairs.start[a], high = pairs.start[a + 1], middle
    cdef int end = high
    while low < high:
        middle = (low + high) >> 1
        if pairs.other[middle] < b:
            low = middle + 1
        else:
            high = middle
    return pairs.properties + (pairs.index[low] if low < end and pairs.other[low] == b else 0)

# ---- the scene --------------------------------------------------------------------------------------------------

cdef struct Scene:
    # what things are, where, and how they are driven
    int n_single
    SingleParameters* single               # (n_single,)
    SingleState* single_state              # (n_single,)
    SingleControl* single_control          # (n_single,)
    SingleScratch* single_scratch          # (n_single,)
    Rest* rest                             # (n_single,)
    int n_asleep                           # of these
    int n_movers
    int* mover                             # (n_movers,) of these: whom steps look at (movers.pxd)
    long renewals                          # counted by whoever changes a static one, or makes it one
    long shown                             # as many, when a step last ended that looked at all of them
    long listed                            # as many, when movers were last listed
    bint lists_all                         # movers are all single bodies
    int n_system
    System* system                         # (n_system,)
    int n_bodies
    BodyHandle* body                       # (n_bodies,) by body handle
    Pose* pose                             # (n_bodies,) world poses, written by the step, read by collision
    Motion* motion                         # (n_bodies,) until the step's end as they move now: [rad], [m], world axes
    char* calm                             # (n_bodies,) Calm, if some body sleeps
    const ContactBuffer* contacts          # of this step, written by collision; each between shapes of this scene
    int* material                          # by shape id: material, or -1 for no shape of this scene
    int n_shape_ids
    MaterialPairs pairs
    LinkList[3] link                       # constraints between bodies, by kind
    double margin                          # [m] gap below which the contacts of this step are in contact already
    # settings
    double dt                              # [s]
    Vec3 gravity                           # world [m/s^2]
    Scheme scheme
    double erp                             # share of the depth corrected in a step
    double erp2                            # extra restitution
    double slop                            # [m] depth that is left alone
    double erp_speed                       # [m/s] largest correction speed
    bint sleeping                          # bodies may sleep
    double sleep_time                      # [s] for which all of an island has to be slow
    double sleep_speed                     # [m/s] and [rad/s] that are slow
    long islands                           # that fell asleep so far
    bint keep_accelerations                # an observer asks for them
    bint meets                             # some bodies meet in this step,
    bint meets_fast                        # some single bodies fast
    # out
    int failed_single, failed_system       # whose step did not end in finite numbers, or -1
    # capacities, of whoever owns the memory
    size_t room_single[6]
    size_t room_system
    size_t room_body[4]
    size_t room_shape_ids

cdef inline bint sleeps(const Scene* s, int k) noexcept nogil:
    """Whether single body k does: it stays where it is, and no step looks at it."""
    return s.n_asleep > 0 and s.rest[k].island > 0

cdef inline bint is_known(const Scene* s, int shape_id) noexcept nogil:
    """Whether a shape is one of this scene."""
    return 0 <= shape_id < s.n_shape_ids and s.material[shape_id] >= 0
