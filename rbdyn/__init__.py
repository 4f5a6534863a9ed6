"""rbdyn: rigid-body dynamics, mechanism surgery and hard contact."""

import os as _os

_root = _os.path.dirname(__path__[0])
if _os.path.isfile(_os.path.join(_root, "setup.py")):  # in place or editable: collision/, contact/, io/ lie beside us
    __path__.append(_root)
