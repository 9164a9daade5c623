"""Serves models of iDlaLayer in Python.

A `Subscriber` follows the newest version of an application's model in a folder, on a server or in
an object store, verifies it and swaps it; a `Model` predicts with numpy.
"""

from ._version import __version__
from .cache import CacheCounts, VersionCache
from .clock import Clock, SystemClock
from .errors import (
    CorruptModelError,
    MalformedEventError,
    MalformedModelError,
    ModelError,
    NoModelError,
    StoreError,
    UnknownAliasError,
    UnsupportedModelError,
)
from .events import Sample
from .history import Histories
from .http import HttpSource
from .limits import Limits
from .manifest import Manifest
from .model import Model, Predictions
from .s3 import S3Source
from .signature import Credentials
from .store import FolderSource, ModelSource
from .subscriber import Status, Subscriber

__all__ = [
    "CacheCounts",
    "Clock",
    "CorruptModelError",
    "Credentials",
    "FolderSource",
    "Histories",
    "HttpSource",
    "Limits",
    "MalformedEventError",
    "MalformedModelError",
    "Manifest",
    "Model",
    "ModelError",
    "ModelSource",
    "NoModelError",
    "Predictions",
    "S3Source",
    "Sample",
    "Status",
    "StoreError",
    "Subscriber",
    "SystemClock",
    "UnknownAliasError",
    "UnsupportedModelError",
    "VersionCache",
    "__version__",
]
