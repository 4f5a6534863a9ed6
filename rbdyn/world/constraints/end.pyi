from rbdyn.world.objects.object import WorldObject

class End:
    @property
    def obj(self) -> WorldObject | None: ...
    @property
    def body(self) -> str | None: ...
