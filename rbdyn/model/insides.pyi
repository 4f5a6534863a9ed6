from typing import Any

from rbdyn.model.model import Model

def numbers_of(model: Model) -> dict[str, Any]: ...
