# The alternating direction method of multipliers (Glowinski and Marroco 1975; Boyd et al. 2011; for contacts Tasora,
# Mangoni, Benatti and Garziera 2021; Carpentier, Le Lidec and Montaut 2024).
#
# Impulses lam that meet no law make the velocities v = v_free + G lam wanted, and impulses z that obey all laws
# come near them; w is what the laws want of velocities [m/s].  With weights R [1/kg] and all rows held, one step is
#
#     (G + compliance + R) d = -(v(z) + compliance z + w),     y = z + RELAXED d,
#     z <- the admissible impulse nearest to y + w / R,        w <- w + R (y - z)
#
# Where it ends w = -(v + compliance z), and z obeys every law with v exactly: with one weight for a block, to cut an
# impulse to its cone is to solve the contact alone.  The matrix is that of a direct solve (workspace.pxd), factored
# once: redundant rows need no care, and a step costs as much as a sweep.
#
# Where laws contradict one another d still goes to what moves nothing, and velocities to the nearest ones that there
# are, by least squares; what is left of v + compliance z + w is by how much they contradict.  Impulses of rows begin at
# zero, so that they are about the smallest ones that do it; sweeps let them grow for ever there.

from rbdyn.contact.operator cimport Operator
from rbdyn.contact.problem cimport ContactProblem
from rbdyn.contact.solvers.direct.workspace cimport Direct

cdef struct Splitting:
    double* w                # (rows,) [m/s]
    double* y                # (rows,) [N s]
    double* z                # (rows,) the impulses before the step [N s]
    double change            # of velocities in the latest step [m/s]
    double left              # by how much laws were missed before it [m/s]

cdef bint begin(Splitting* A, Direct* S, Operator* G, const ContactProblem* p, double* impulse) noexcept nogil
cdef void step(Splitting* A, Direct* S, Operator* G, double* impulse) noexcept nogil
cdef double missed(const Splitting* A, const Direct* S, const Operator* G, const double* impulse) noexcept nogil
