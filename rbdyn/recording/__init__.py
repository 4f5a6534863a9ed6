"""Recordings: what Worlds and mechanisms went through, in files and as arrays by name."""

from rbdyn.recording.contacts import RecordedContact
from rbdyn.recording.inventory import RecordedJoint, RecordedObject
from rbdyn.recording.loading import load_recording
from rbdyn.recording.recorder import Recorder
from rbdyn.recording.recording import Recording
from rbdyn.recording.stored_scenery import StoredScenery
from rbdyn.recording.trajectories import recording_of

__all__ = [
    "RecordedContact",
    "RecordedJoint",
    "RecordedObject",
    "Recorder",
    "Recording",
    "StoredScenery",
    "load_recording",
    "recording_of",
]
