# What World keeps of its objects in C.  Spatial vectors are angular part first; "world" means world axes.

from rbdyn.model._model cimport CData, CModel
from rbdyn.spatial._algebra cimport Force, Mat3, Motion, Sym3, Vec3

cdef enum BodyType:
    STATIC = 0                # never moves
    KINEMATIC = 1             # moves with the velocity it is given; nothing pushes it
    DYNAMIC = 2

cdef enum Scheme:             # the position update; gamma of contact_solver section "theta-scheme"
    TRAPEZOID = 0             # q+ = q (+) dt (u + u+) / 2
    SEMI_IMPLICIT = 1         # q+ = q (+) dt u+
    EULER = 2                 # q+ = q (+) dt u

cdef struct CSingle:          # a single body; its frame sits at its centre of mass
    int type                  # BodyType
    int slot                  # its body index in the collision backend
    double q[4]               # orientation [w, x, y, z]
    Mat3 R                    # body to world axes
    Vec3 p                    # centre of mass, world [m]
    Vec3 v                    # velocity of the centre of mass, world [m/s]
    Vec3 w                    # angular velocity, world [rad/s]
    double mass               # [kg]
    Sym3 I_b                  # inertia about the centre of mass, body axes [kg m^2]
    Sym3 inverse_I_b          # its inverse, body axes
    bint isotropic            # I_b is a multiple of the identity
    Vec3 force                # external force of this step, world [N]
    Vec3 torque               # external torque of this step about the centre of mass, world [N m]
    # of one step
    double inverse_mass       # [1/kg], 0 unless dynamic
    Sym3 inverse_I            # world axes, 0 unless dynamic [1/(kg m^2)]
    Vec3 v_free, w_free       # velocity without contact impulses
    Vec3 dv, dw               # velocity change by contact impulses
    Vec3 v_next, w_next       # end of the step
    double q_next[4]
    Vec3 p_next

cdef struct CSystem:          # an articulated system
    const CModel* m
    CData* d                  # of its State
    int slot                  # collision body index of its internal body 0; the others follow
    int coordinate            # first of its nv normalised coordinates in this step's problem
    bint touched              # has contacts in this step
    bint pd                   # control mode: PD plus feed-forward
    bint pushed               # external forces act in this step
    # control, written by ArticulatedSystem
    double* kp                # (nv,) PD gains [N m/rad or N/m]
    double* kd                # (nv,) [N m s/rad or N s/m]
    double* q_ref             # (nq,) PD target
    double* v_ref             # (nv,)
    double* tau_ff            # (nv,) feed-forward force [N m or N]
    double* effort            # (nv,) largest explicit command, may be infinite
    double* damping           # (nv,) passive
    double* stiffness         # (nv,) passive springs
    double* q_spring          # (nq,) where the springs rest
    Force* push               # (nb,) external force of this step, world axes, about the internal origin
    # of one step
    double* error             # (nv,) q_ref (-) q
    double* command           # (nv,) explicit command after clamping
    double* applied           # (nv,) what the actuators did: command plus the implicit part of the PD law [N m or N]
    double* tau               # (nv,) all explicit joint forces
    double* extra             # (nv,) what implicit terms add to the diagonal of M
    double* vd                # (nv,) free acceleration
    double* v_free            # (nv,) velocity without contact impulses
    double* v_next            # (nv,) end of the step
    double* q_next            # (nq,)
    double* z                 # (nv,) contact impulse in normalised coordinates
    Motion* twist             # (nb,) free velocity of each body, body axes (touched systems)
    Motion* S                 # (nv,) normalised motion columns, world axes about `origin`
    Force* U                  # (nv,) normalised I^A S, world axes about `origin`
    Motion* change            # (nb,) velocity change of each body, world axes about `origin`
    double* L                 # (nv, 6) the factors D of this step, out of reach of algorithms on the same State
    Vec3 origin               # reference point of S, U and change, world [m]
