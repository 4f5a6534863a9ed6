from rbdyn.collision.backend import CollisionBackend
from rbdyn.collision.scene import CollisionScene

class NativeBackend(CollisionBackend): ...

def native_contacts(
    scene: CollisionScene, id_a: int, id_b: int
) -> list[tuple[tuple[float, float, float], tuple[float, float, float], float, int]]: ...
