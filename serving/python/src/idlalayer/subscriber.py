"""Keeps a serving process on the newest model.

A thread looks at the pointer, verifies each new version, loads it beside the one in service, and
replaces one reference. A version that is damaged or does not load is refused, and the one in
service stays. The rules are those of the Java library's `ModelSubscriber`.
"""

from __future__ import annotations

import logging
import os
import threading
from dataclasses import dataclass
from typing import Any, Optional, Union

from .cache import USUAL_BYTES, VersionCache
from .clock import Clock, SystemClock
from .errors import CorruptModelError, ModelError, NoModelError, UnknownAliasError
from .http import HttpSource
from .limits import Limits
from .loader import Loader
from .manifest import Version, checked_alias
from .model import Model, Predictions, Rows
from .reader import ModelReader, Serving
from .s3 import S3Source
from .store import FolderSource, ModelSource, Place, folder_of

_LOG = logging.getLogger("idlalayer")

#: Number of attempts to take a version, as a version may be deleted before it is read.
_LOOKS = 5
#: Largest number of versions before a damaged one that are tried, if none serves yet.
_MOST_ANCESTORS = 64
_LONGEST_PAUSE_SECONDS = 30.0
_CLOSE_SECONDS = 10.0
#: How often a close ends the reads that are under way.
_CLOSE_LOOKS = 40


def source_of(store: Union[str, os.PathLike[str]], token: Optional[str] = None) -> ModelSource:
    """The models that an address names.

    store: a folder (a path or a `file:` URL), a server (`http:` or `https:`), or an object store
        (`s3:`), whose credentials, region and endpoint are those of the environment.
    token: the secret that a server wants; None for none.
    """
    address = os.fspath(store)
    folder = folder_of(address)
    scheme = "" if folder is not None else address.partition(":")[0].lower()
    if scheme in ("http", "https"):
        return HttpSource(address, token)
    if token is not None:
        raise ValueError("a token is for a server; a folder has none, nor has an object store")
    if folder is not None:
        return FolderSource(folder)
    if scheme == "s3":
        return S3Source(address)
    raise ValueError(
        f"models cannot be read from {scheme}: here; give a folder, s3://BUCKET/PREFIX, or the"
        " address of `idla models serve`"
    )


@dataclass(frozen=True)
class Status:
    """The state of a subscriber at one moment.

    version: the version in service; 0 for none.
    swaps: how often another version went into service. refused: failed looks so far.
    failure: why the last look failed; "" after a good one.
    staleness_seconds: how long it has not been known whether the version is the one to serve.
    """

    version: int
    swaps: int
    refused: int
    failure: str
    staleness_seconds: float


@dataclass(frozen=True)
class _Serving:
    """The model in service: one reference, so that no reader sees half of a change.

    confirmed: when the store last named it as the one to serve, by the monotonic clock.
    """

    model: Model
    version: Version
    confirmed: float


class Subscriber:
    """Follows an application's model.

        with Subscriber("file:idla-work/electricity/models", "electricity") as subscriber:
            model = subscriber.wait_for(timeout_seconds=10)
            print(model.predict({"period": 0.5, ...}).labels)

    ``current`` is the model in service; it never changes, so hold it as long as you like. All
    methods may be called by any thread. Reading ``current`` takes no lock and never waits.

    store: a folder, the address of a server or of an object store, or a ModelSource.
    poll_seconds: time between looks at the pointer, above 0.
    alias: serves the version that has this name, in place of the one that is pinned or newest.
    token: the secret that a server wants.
    limits: what a version may take in memory.
    cache_folder: a folder on this host in which its processes share the files of versions, so that
        each file is read once from the store; None for none.
    cache_bytes: most bytes of this folder.
    """

    def __init__(
        self,
        store: Union[str, os.PathLike[str], ModelSource],
        application: str,
        partition: int = 0,
        *,
        poll_seconds: float = 0.2,
        alias: Optional[str] = None,
        token: Optional[str] = None,
        limits: Optional[Limits] = None,
        clock: Optional[Clock] = None,
        cache_folder: Optional[Union[str, os.PathLike[str]]] = None,
        cache_bytes: int = USUAL_BYTES,
    ) -> None:
        if not poll_seconds > 0:
            raise ValueError(f"poll_seconds must be above 0, not {poll_seconds}")
        self._of = Place(application, partition)
        self._alias = None if alias is None else checked_alias(alias)
        self._poll_seconds = poll_seconds
        self._clock = clock or SystemClock()
        if isinstance(store, (str, os.PathLike)):
            self._source: ModelSource = source_of(store, token)
        else:
            self._source = store
        self._cache = (
            None
            if cache_folder is None
            else VersionCache(cache_folder, cache_bytes, self._clock)
        )
        self._reader = ModelReader(self._source, limits, self._cache)
        self._loader = Loader(self._reader, self._of, limits or Limits())
        self._serving: Optional[_Serving] = None
        # One thread at a time looks and loads; guards all that is not behind _changed.
        self._looking = threading.Lock()
        # Guards the counts and the failure, and tells those who wait for a version.
        self._changed = threading.Condition()
        self._swaps = 0
        self._refused = 0
        self._failure = ""
        self._named = ""
        self._stop = threading.Event()
        self._thread: Optional[threading.Thread] = None

    @property
    def current(self) -> Optional[Model]:
        """The model in service; None before the first version, and after close."""
        serving = self._serving
        return None if serving is None else serving.model

    @property
    def version(self) -> int:
        """The version in service; 0 for none."""
        model = self.current
        return 0 if model is None else model.version

    @property
    def failure(self) -> str:
        """Why the last look at the store failed; "" after a good one."""
        return self._failure

    @property
    def age_seconds(self) -> Optional[float]:
        """Seconds since the version in service was made; None for no version."""
        model = self.current
        if model is None:
            return None
        return (self._clock.now_millis() - model.manifest.created_at_millis) / 1000

    @property
    def staleness_seconds(self) -> float:
        """How long it has not been known whether the version in service is the one to serve.

        A version that was not replaced is old, but not stale. It becomes stale while the store
        cannot be read, or the version to be served is refused. 0 for no version.
        """
        serving = self._serving
        if serving is None:
            return 0.0
        return max(0.0, self._clock.monotonic() - serving.confirmed)

    def status(self) -> Status:
        """The version in service and its health."""
        with self._changed:
            return Status(
                self.version, self._swaps, self._refused, self._failure, self.staleness_seconds
            )

    def model(self) -> Model:
        """The model in service; raises NoModelError, which says why, if there is none."""
        model = self.current
        if model is None:
            why = f": {self._failure}" if self._failure else ""
            when = "any more" if self._stop.is_set() else "yet"
            raise NoModelError(f"{self._of} has no model in service {when}{why}")
        return model

    def predict(self, rows: Rows) -> Predictions:
        """Predicts with the model in service, one version for all rows; see Model.predict."""
        return self.model().predict(rows)

    def wait_for(self, version: int = 1, timeout_seconds: float = 10) -> Model:
        """Waits until this version, or a newer one, serves, and returns the model.

        Raises TimeoutError that says why if it does not within the time, by the machine's clock.
        """

        def serves() -> bool:
            return self.version >= version or self._stop.is_set()

        with self._changed:
            self._changed.wait_for(serves, timeout_seconds)
            model = self.current
            if model is None or model.version < version:
                why = f": {self._failure}" if self._failure else ""
                raise TimeoutError(
                    f"{self._of} serves version {self.version} after {timeout_seconds} s, and not"
                    f" version {version}{why}"
                )
            return model

    def start(self) -> Subscriber:
        """Looks once, then starts to follow the store on a thread of its own, until close.

        A first look that fails is no error here: see `failure`. The thread survives whatever the
        store holds, and tries again after pauses that double up to 30 s.
        """
        if self._stop.is_set() or self._thread is not None:
            raise ValueError("closed already" if self._stop.is_set() else "started already")
        failed = self._look_and_tell("")
        self._thread = threading.Thread(
            target=self._follow, args=(failed,), name="idlalayer-subscriber", daemon=True
        )
        self._thread.start()
        return self

    def __enter__(self) -> Subscriber:
        return self.start()

    def __exit__(self, *failure: Any) -> None:
        self.close()

    def close(self) -> None:
        """Stops to follow, and takes the model out of service. Waits for the thread, 10 s at most.

        Ends the reads of the source that are under way, also those of others that share it, which
        try again. Models that were taken before stay usable.
        """
        self._stop.set()
        if self._cache is not None:
            self._cache.close()
        self._source.close()
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            for _ in range(_CLOSE_LOOKS):
                thread.join(_CLOSE_SECONDS / _CLOSE_LOOKS)
                if not thread.is_alive():
                    break
                # It may have begun another read before it saw that it must stop.
                self._source.close()
        with self._changed:
            self._serving = None
            self._changed.notify_all()

    def _follow(self, first: Optional[Exception]) -> None:
        pause = self._poll_seconds
        failed = first
        while not self._clock.pause(self._stop, pause):
            failed = self._look_and_tell("" if failed is None else _reason(failed))
            if failed is None or isinstance(failed, UnknownAliasError):
                # The store answered; a version may be given the alias at any moment.
                pause = self._poll_seconds
            else:
                pause = min(max(_LONGEST_PAUSE_SECONDS, self._poll_seconds), pause * 2)

    def _look_and_tell(self, told: str) -> Optional[Exception]:
        """Looks once; returns the failure if there was one, which is logged if it is a new one."""
        try:
            self.refresh()
            return None
        except Exception as refused:  # The thread must survive whatever a store holds.
            reason = _reason(refused)
            if reason != told and not self._stop.is_set():
                _LOG.warning("%s: %s", self._of, reason)
            return refused

    def refresh(self) -> bool:
        """Looks at the store once; returns whether another version went into service.

        Raises ModelError if the version to be served is refused; the one in service stays. If none
        was in service, a version before the refused one may serve now.
        """
        with self._looking:
            try:
                found = self._look()
                if found is not None:
                    self._refuse_other_history(found)
                taken = found is not None and self._wants(found)
                if found is not None and taken:
                    self._take(found)
                elif found is not None or self.current is None:
                    self._forget_failure()
                if found is not None:
                    self._confirm()
                return taken
            except Exception as refused:
                with self._changed:
                    self._refused += 1
                    self._failure = _reason(refused)
                    self._changed.notify_all()
                raise

    def _look(self) -> Optional[Serving]:
        if self._alias is not None:
            return Serving(self._reader.aliased(self._of, self._alias), None)
        return self._reader.serving(self._of)

    def _by_pointer(self, found: Serving) -> bool:
        """Whether the pointer names the version, so that an older one may serve in its place."""
        return found.pin is None and self._alias is None

    def _refuse_other_history(self, found: Serving) -> None:
        serving = self._serving
        if serving is None or not self._by_pointer(found):
            return
        version = found.version
        same = serving.version.digest == version.digest
        if not same and version.number <= serving.version.number and not self._is_there(serving):
            raise ModelError(
                f"the pointer names version {version.number}, but version"
                f" {serving.version.number}, which is served here, is no longer in the store; if"
                " they were deleted or restored from an older copy, start this process anew, else"
                " pin the version to serve"
            )

    def _is_there(self, serving: _Serving) -> bool:
        try:
            version = serving.version
            return self._reader.read(self._of, version.number).digest == version.digest
        except CorruptModelError:
            return False

    def _note(self, found: Serving) -> None:
        """Remembers whether a pin or an alias names the version: such a one may be older."""
        if found.pin is not None:
            self._named = f"{found.version.digest}@{found.pin.at_millis}"
        else:
            self._named = found.version.digest if self._alias is not None else ""

    def _wants(self, found: Serving) -> bool:
        self._note(found)
        serving = self._serving
        if self._stop.is_set():
            return False
        if serving is None:
            return True
        if self._named:
            return serving.version.digest != found.version.digest
        return found.version.number > serving.version.number

    def _take(self, wanted: Serving) -> None:
        """Takes a version; if it is deleted meanwhile, the one that is to be served then."""
        for look in range(1, _LOOKS + 1):
            try:
                self._put(wanted.version, self._clock.monotonic())
                return
            except CorruptModelError as damaged:
                now = self._look()
                if look == _LOOKS or now is None or now == wanted:
                    if self.current is None and self._by_pointer(wanted):
                        self._take_ancestor(wanted.version, damaged)
                    raise
                wanted = now
                self._note(wanted)

    def _take_ancestor(self, damaged: Version, why: CorruptModelError) -> None:
        """Takes the newest version before a damaged one that loads and was not rolled back."""
        try:
            rollback = self._reader.pin(self._of)
            link = successor = damaged
            for _ in range(_MOST_ANCESTORS):
                before = self._reader.trained_from(self._of, link)
                if before is None:
                    return
                link = before
                if rollback is not None and rollback.left(link.number):
                    continue
                # The model was the one to serve until its successor was published.
                age = self._clock.now_millis() - successor.manifest.created_at_millis
                successor = link
                try:
                    self._put(link, self._clock.monotonic() - max(0, age) / 1000)
                except CorruptModelError as also:
                    _LOG.info("%s: %s", self._of, also)
                    continue
                _LOG.warning(
                    "version %d of %s serves, because no version after it loads: %s",
                    link.number,
                    self._of,
                    why,
                )
                return
        except ModelError as gone:
            _LOG.info("%s: no version before it can be served: %s", self._of, gone)

    def _put(self, version: Version, confirmed: float) -> None:
        """Loads a version and puts it into service."""
        model = self._loader.load(version, self.current)
        with self._changed:
            if self._stop.is_set():
                return
            self._failure = ""
            self._swaps += 1
            self._serving = _Serving(model, version, confirmed)
            self._changed.notify_all()

    def _confirm(self) -> None:
        with self._changed:
            serving = self._serving
            if serving is not None:
                self._serving = _Serving(serving.model, serving.version, self._clock.monotonic())

    def _forget_failure(self) -> None:
        with self._changed:
            self._failure = ""


def _reason(refused: BaseException) -> str:
    if isinstance(refused, ModelError):
        return str(refused)
    return f"{type(refused).__name__}: {refused}"
