"""Collision alone
===============

Collision detection alone: shapes on numbered bodies, contacts for given poses.
"""

import numpy as np

from rbdyn.collision import Box, Capsule, CollisionBackend, CollisionScene, HalfSpace, NativeBackend, Sphere


def place(x: float, y: float, z: float) -> np.ndarray:
    """A pose (4, 4) without rotation [m]."""
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return pose


def populate(backend: CollisionBackend) -> CollisionBackend:
    """A ground, a crate on it, a ball on the crate, and a leg of two links that do not see each other."""
    backend.add_shape(HalfSpace(), body=0, dynamic=False)
    backend.add_shape(Box((0.4, 0.4, 0.4)), body=1)
    backend.add_shape(Sphere(0.1), body=2)
    backend.add_shape(Capsule(0.05, 0.3), body=3)
    backend.add_shape(Capsule(0.05, 0.3), body=4, pose=place(0, 0, -0.1))
    backend.exclude(3, 4)
    return backend


POSES = [place(0, 0, 0), place(0, 0, 0.199), place(0.05, 0, 0.497), place(1, 0, 0.6), place(1, 0, 0.295)]


class Loud(NativeBackend):
    """A backend of your own: what the base finds, said aloud.  World would take it as `collision=Loud()`."""

    def detect(self, scene: CollisionScene) -> None:
        super().detect(scene)
        for a, b in scene.pairs():
            print(f"    looked at {scene.shape(a)} and {scene.shape(b)}")


def main() -> None:
    print("shapes  depth [mm]  position [m]            normal into the first")
    for contact in populate(NativeBackend()).query(POSES):
        print(f"{contact['shape_a']} - {contact['shape_b']}   {1e3 * contact['depth']:8.2f}  "
              f"{np.round(contact['position'], 3)!s:22}  {contact['normal']}")  # fmt: skip
    print("the same through a Python subclass:")
    found = populate(Loud()).query(POSES)
    print(f"    {len(found)} contacts")


if __name__ == "__main__":
    main()
