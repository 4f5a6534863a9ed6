from rbdyn.mechanism import Mechanism

class Draft:
    mechanism: Mechanism
