from typing import Any

from rbdyn.contact import MaterialTable

class Insides:
    def materials_said(self, table: MaterialTable) -> dict[str, Any]: ...
