"""Surgery on a hand
=================

Surgery: a robot of three equal fingers, one of them cut off again while it moves.
"""

import numpy as np

import rbdyn


def finger() -> rbdyn.Mechanism:
    """Two links on hinges: the module."""
    m = rbdyn.Mechanism(rbdyn.RigidBody("mount"))
    link = rbdyn.SpatialInertia(0.2, com=(0, 0, 0.05), inertia=2e-4 * np.eye(3))
    hinge = rbdyn.Revolute(axis=(0, 1, 0))
    shape = rbdyn.Geometry(rbdyn.collision.Capsule(0.012, 0.09), rbdyn.Transform(translation=(0, 0, 0.05)))
    near, far = rbdyn.RigidBody("near", link, [shape]), rbdyn.RigidBody("far", link, [shape])
    m.attach(m.root_body, near, rbdyn.Joint("knuckle", hinge))
    m.attach(near, far, rbdyn.Joint("middle", hinge), rbdyn.Transform(translation=(0, 0, 0.1)))
    return m


def main() -> rbdyn.State:
    """Attach, move, cut, and go on."""
    hand = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    plate = rbdyn.Geometry(rbdyn.collision.Cylinder(0.06, 0.02))
    palm = rbdyn.RigidBody("palm", rbdyn.SpatialInertia(1.0, inertia=2e-3 * np.eye(3)), [plate])
    hand.attach(hand.root_body, palm, rbdyn.Joint("base", rbdyn.Floating()))
    module = finger()
    for k in range(3):
        angle = 2 * np.pi * k / 3
        where = rbdyn.Transform(rpy=(0, 0, angle), translation=(0.05 * np.cos(angle), 0.05 * np.sin(angle), 0))
        hand.attach_mechanism(palm, module, where, prefix=f"finger{k}_")
    print(hand)

    state = rbdyn.State(rbdyn.Model(hand))
    rng = np.random.default_rng(0)
    state.set(state.q, rng.normal(size=state.model.nv))
    rbdyn.simulate(state, duration=0.5)
    tip = rbdyn.body_pose(state, "finger0_far")

    maps = hand.remove_subtree(hand.find_joint("finger2_knuckle"))
    state = maps.carry(state)  # q and v of what is left, for the new Model
    moved = np.abs(rbdyn.body_pose(state, "finger0_far") - tip).max()
    print(f"finger2 is off: nv = {state.model.nv}, the others moved by {moved:.1e}")
    rbdyn.simulate(state, duration=0.5)
    print(f"and go on: the palm is at {state.q[:3].round(3)}")
    return state


if __name__ == "__main__":
    state = main()
