from rbdyn.world.objects.contact import Contact
from rbdyn.world.world import World

class WorldObject:
    @property
    def name(self) -> str: ...
    @property
    def world(self) -> World: ...
    @property
    def contacts(self) -> list[Contact]: ...
