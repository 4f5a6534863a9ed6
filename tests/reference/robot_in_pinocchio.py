"""Mass matrix, bias forces and forward dynamics as Pinocchio has them, in rbdyn's coordinates.

Coordinates are matched by names.  Pinocchio's free flyer has velocities in its own axes (B0 of the conventions):
v_theirs = T v, and a_theirs = T a + c.
"""

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from rbdyn.mechanism import Floating, Mechanism
from rbdyn.model import Model
from rbdyn.spatial import Transform


@dataclass
class Twin:
    """One robot, here and there."""

    model: Model
    theirs: pin.Model
    floating: bool
    places: list[tuple[int, int, int, int]]  # of each one-dof joint: our q, our v, their q, their v

    @staticmethod
    def of(mechanism: Mechanism, file: str) -> "Twin | str":
        """The twin; or why there is none."""
        joints = [j for j in mechanism.tree_joints if j.num_velocities]
        floating = bool(joints) and isinstance(joints[0].joint_type, Floating)
        try:
            theirs = pin.buildModelFromUrdf(file, *([pin.JointModelFreeFlyer()] if floating else []))
        except ValueError:
            return "Pinocchio does not read it"
        others = [j for j in joints[floating:] if j.num_velocities != 1]
        if others:
            return f"has a {others[0].joint_type.kind} joint"
        model = Model(mechanism)
        if theirs.nv != model.nv:
            return f"Pinocchio has {theirs.nv} degrees of freedom of {model.nv}"
        places = []
        for j in joints[floating:]:
            one = theirs.joints[theirs.getJointId(j.name)]
            places.append((model.joint_q_index(j.name), model.joint_v_index(j.name), one.idx_q, one.idx_v))
        return Twin(model, theirs, floating, places)

    def random(self, rng):
        """q, v, tau of ours, and all that Pinocchio says at them: M, h, a."""
        q, v, tau = self.model.random(rng), rng.normal(size=self.model.nv), rng.normal(size=self.model.nv)
        theirs, data = self.theirs, self.theirs.createData()
        p, turn, c = pin.neutral(theirs), np.zeros((theirs.nv, theirs.nv)), np.zeros(theirs.nv)
        if self.floating:
            p[:7] = [*q[:3], *q[4:7], q[3]]
            r = Transform(quat=q[3:7]).rotation
            turn[:3, :3] = turn[3:6, 3:6] = r.T
            c[:3] = -r.T @ np.cross(v[3:6], v[:3])
        for ours_q, ours_v, at_q, at_v in self.places:
            turn[at_v, ours_v] = 1.0
            if theirs.joints[int(np.searchsorted(theirs.idx_vs, at_v, "right")) - 1].nq == 2:
                p[at_q : at_q + 2] = np.cos(q[ours_q]), np.sin(q[ours_q])
            else:
                p[at_q] = q[ours_q]
        u = turn @ v
        mass = pin.crba(theirs, data, p)
        mass = np.triu(mass) + np.triu(mass, 1).T
        bias = pin.nonLinearEffects(theirs, data, p, u)
        with np.errstate(all="ignore"):
            fast = pin.aba(theirs, data, p, u, np.linalg.solve(turn.T, tau))
        return (q, v, tau), (turn.T @ mass @ turn, turn.T @ (mass @ c + bias), turn.T @ (fast - c))
