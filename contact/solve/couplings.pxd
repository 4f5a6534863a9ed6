# Joints that hard rows couple in pairs, as mimics do, taken out of a velocity space.
#
# A row a u_i + b u_j + c = 0 leaves one velocity of two.  With u = F w + o, where F and o hold for all such rows, the
# other rows have the Jacobian J F and the velocity c + J o, and
#
#     F^T M F w + F^T M o = (J F)^T lam                                                                          (1)
#
# has as many unknowns as the joints can move in.  What a coupling does is what (1) leaves out: the row of its follower
# in M u = J^T lam.  So couplings hold exactly, whatever else is solved, and no impulse of theirs is looked for.
#
# A joint follows if one such row alone moves it.  Several may follow one leader; a follower leads none.

from rbdyn.contact.solve.factor cimport Envelope
from rbdyn.contact.solve.velocity_space cimport VelocitySpace

cdef struct Coupling:
    int row                  # whose impulse is found at the end
    int follower             # unknown that is taken out
    double entry             # of the follower in the row

cdef struct Cut:             # an entry of a follower in another row
    int coupling
    int row
    double entry

cdef struct Couplings:       # workspace; arrays grow and are reused
    int count, cuts, unknowns        # unknowns: with the followers
    Coupling* coupling       # (count,)
    Cut* cut                 # (cuts,)
    int* kept                # (unknowns,) entry of w that moves each
    int* number              # (unknowns,) entry of w, or -1 less the coupling of a follower
    int* path                # (unknowns,) those of one row of B F
    double* factor           # (unknowns,) entry of F
    double* offset           # (unknowns,) o
    double* bias             # (unknowns,) F^T M o
    double* u                # (unknowns,) velocities of all
    double* p                # (unknowns,) M u
    size_t capacity[10]
    size_t reallocations

cdef int take_out_followers(Couplings* C, VelocitySpace* V) except -1 nogil
cdef bint write_coupled_mass(Couplings* C, VelocitySpace* V, Envelope* E) noexcept nogil
cdef void find_coupling_impulses(const Couplings* C, const VelocitySpace* V, const double* w,
                                 double* lam) noexcept nogil
cdef void release_couplings(Couplings* C) noexcept nogil
