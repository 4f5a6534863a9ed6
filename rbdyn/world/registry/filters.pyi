from rbdyn.collision.backend import CollisionBackend

class Filters:
    def __init__(self, collision: CollisionBackend) -> None: ...
