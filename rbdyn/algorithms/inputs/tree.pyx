"""What algorithms on trees say of mechanisms with loops."""

from rbdyn.errors import MechanismError

from rbdyn.model.model cimport Model


cdef int require_tree(Model model, str function) except -1:
    """MechanismError if the model's mechanism has joints that close loops."""
    if model.has_loops:
        loops = model.mechanism.non_tree_joints
        raise MechanismError(
            f"{function} works on trees, but mechanism {model.mechanism.name!r} has {len(loops)} loop joint(s): "
            f"{', '.join(repr(j.name) for j in loops[:5])}"
        )
    return 0
