"""Memory of the C structs of a Model and a State."""

from rbdyn.memory cimport close_arena, open_arena, place
from rbdyn.model.data cimport open_data


cdef void _place_model(CModel* m) noexcept nogil:
    cdef int nb = m.nb, nv = m.nv
    m.parent = <int*> place(&m.memory, nb, sizeof(int))
    m.order = <int*> place(&m.memory, nb, sizeof(int))
    m.kind = <int*> place(&m.memory, nb, sizeof(int))
    m.representation = <int*> place(&m.memory, nb, sizeof(int))
    m.qi = <int*> place(&m.memory, nb, sizeof(int))
    m.vi = <int*> place(&m.memory, nb, sizeof(int))
    m.nvi = <int*> place(&m.memory, nb, sizeof(int))
    m.parent_dof = <int*> place(&m.memory, nv, sizeof(int))
    m.X_tree = <Xformd*> place(&m.memory, nb, sizeof(Xformd))
    m.I_b = <Inertiad*> place(&m.memory, nb, sizeof(Inertiad))
    m.rotor = <double*> place(&m.memory, nv, sizeof(double))
    m.parameter = <double*> place(&m.memory, nb, sizeof(double))
    m.blocks = <Block*> place(&m.memory, nb, sizeof(Block))
    m.loops = <CLoop*> place(&m.memory, m.n_loops, sizeof(CLoop))


cdef int allocate_model(CModel* m, int nb, int nq, int nv, int n_loops) except -1:
    """Zeroed arrays for a model of this size."""
    m.nb, m.nq, m.nv, m.n_loops = nb, nq, nv, n_loops
    _place_model(m)
    open_arena(&m.memory)
    _place_model(m)
    return 0


cdef void free_model(CModel* m) noexcept:
    close_arena(&m.memory)


cdef int allocate_data(CData* d, const CModel* m) except -1:
    """Zeroed arrays for a state of this model, its root at the world's origin."""
    return open_data(d, m)


cdef void free_data(CData* d) noexcept:
    close_arena(&d.memory)
