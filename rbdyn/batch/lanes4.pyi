from rbdyn.batch.lanes1 import TASKS as TASKS
from rbdyn.batch.lanes1 import WIDTH as WIDTH
from rbdyn.batch.lanes1 import Lanes as Lanes
