from typing import Any

from rbdyn.contact import MaterialTable

class Insides:
    scheduler: Any
    random: Any
    extras: Any
    def materials_said(self, table: MaterialTable) -> dict[str, Any]: ...
