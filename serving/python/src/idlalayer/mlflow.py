"""Models in the layout of MLflow: a folder with a file `MLmodel`, whose flavour loads this package.

``python3 -m idlalayer.mlflow STORE APPLICATION FOLDER`` writes one version:

    FOLDER/MLmodel             the flavour python_function, loaded by idlalayer.mlflow
    FOLDER/requirements.txt    what its environment needs, without this package
    FOLDER/python_env.yaml
    FOLDER/models/...          the version, and the versions whose rows it needs, as a model store

MLflow itself is not needed to write or to read it.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import os
import platform
import shutil
import sys
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

from ._version import __version__
from .errors import CorruptModelError, MalformedEventError, ModelError
from .limits import Limits
from .loader import Loader
from .manifest import FORMAT_VERSION, MANIFEST, POINTER, ROWS_FILE, Version, checked_alias
from .model import Model
from .reader import ModelReader
from .spec import ModelSpec
from .store import FolderSource, ModelSource, Place, version_folder
from .subscriber import source_of

_DATA = "models"
_PART_BYTES = 1 << 20
#: Whole numbers below these are all told apart in floats of 2, 4 and 8 bytes.
_EXACT_BELOW = {2: 1 << 11, 4: 1 << 24, 8: 1 << 53}
#: No index has this package, so a requirement of its name could bring in another one.
_REQUIREMENTS = f"""\
# Install idlalayer {__version__} from its wheel, and serve with: --env-manager local
numpy
"""


def save(
    store: Union[str, os.PathLike[str], ModelSource],
    application: str,
    folder: Union[str, os.PathLike[str]],
    partition: int = 0,
    *,
    alias: Optional[str] = None,
    token: Optional[str] = None,
) -> int:
    """Writes the version that serves, or has an alias, as a model of MLflow; returns its number.

    folder: must not exist yet; it appears as a whole.
    Raises ModelError if there is no version, or if what is read differs from what was published.
    """
    target = Path(folder)
    if target.exists():
        raise FileExistsError(f"{target} exists; name a new folder")
    of = Place(application, partition)
    source = source_of(store, token) if isinstance(store, (str, os.PathLike)) else store
    reader = ModelReader(source)
    if alias is not None:
        version = reader.aliased(of, checked_alias(alias))
    else:
        serving = reader.serving(of)
        if serving is None:
            raise ModelError(f"{of} has published no model")
        version = serving.version
    staged = target.with_name(f".{target.name}-{uuid.uuid4()}")
    try:
        _copy(source, reader, of, version, staged / _DATA)
        # A version that this package does not read is refused here, and not where it serves.
        Loader(ModelReader(FolderSource(str(staged / _DATA))), of, Limits()).load(version, None)
        _describe(version, staged)
        staged.rename(target)
    finally:
        shutil.rmtree(staged, ignore_errors=True)
    return version.number


def _copy(
    source: ModelSource, reader: ModelReader, of: Place, version: Version, models: Path
) -> None:
    place = models / of.application / str(of.partition)
    links = {link.number: link for link in (*reader.chain(of, version), version)}
    for number, link in links.items():
        into = place / version_folder(number)
        into.mkdir(parents=True)
        for file in link.manifest.files:
            if link.number == version.number or file.name == ROWS_FILE:
                with (
                    reader.open_file(of, link, file) as stream,
                    open(into / file.name, "wb") as out,
                ):
                    while True:
                        part = stream.read(_PART_BYTES)
                        if not part:
                            break
                        out.write(part)
        (into / MANIFEST).write_bytes(_manifest(source, of, link))
    pointer = {
        "formatVersion": FORMAT_VERSION,
        "version": version.number,
        "digest": version.digest,
    }
    publisher = place / "publisher-0000000001"
    publisher.mkdir()
    (publisher / POINTER).write_text(json.dumps(pointer), encoding="utf-8")


def _manifest(source: ModelSource, of: Place, link: Version) -> bytes:
    content = source.manifest(of, link.number, link.digest)
    found = hashlib.sha256(content).hexdigest()
    if found != link.digest:
        raise CorruptModelError(
            f"{link.location}/{MANIFEST} has changed while it was copied: its digest is {found},"
            f" and {link.digest} is expected"
        )
    return content


def _describe(version: Version, folder: Path) -> None:
    manifest = version.manifest
    made = datetime.datetime.fromtimestamp(
        manifest.created_at_millis / 1000, datetime.timezone.utc
    ).replace(tzinfo=None)
    python = platform.python_version()
    lines = [
        "flavors:",
        "  python_function:",
        "    loader_module: idlalayer.mlflow",
        f"    data: {_DATA}",
        f"    python_version: {python}",
        "    env:",
        "      virtualenv: python_env.yaml",
        "metadata:",
        f"  application: {json.dumps(manifest.application)}",
        f"  partition: {manifest.partition}",
        f"  version: {manifest.version}",
        f"  digest: {version.digest}",
        f"  idlalayer: {__version__}",
        f"model_uuid: {uuid.uuid4().hex}",
        f"utc_time_created: {json.dumps(made.isoformat(sep=' '))}",
    ]
    (folder / "MLmodel").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "requirements.txt").write_text(_REQUIREMENTS, encoding="utf-8")
    (folder / "python_env.yaml").write_text(
        f"python: {python}\ndependencies:\n- -r requirements.txt\n", encoding="utf-8"
    )


class PythonFunction:
    """What MLflow calls: predicts for data frames, columns, lists of events or matrices."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def predict(
        self, model_input: Any, params: Optional[Mapping[str, Any]] = None
    ) -> NDArray[np.float64]:
        """Probabilities of the classes [rows, classes], or targets [rows, 1].

        In data frames and columns, None and what differs from itself (NaN of any kind, NaT) or
        cannot be compared (pandas.NA) are missing values. A whole number in a column of floats is
        taken as an integer where an id or a category is expected (12345.0 as 12345): a column of
        integers with a missing value becomes one of floats. One from 2**53 on is refused there
        (2**24 in floats of 32 bits), as it may have been rounded. An id that is a float itself
        must be given as text.
        """
        if params:
            raise ValueError(f"the model takes no parameters, and was given {sorted(params)}")
        return self.model.predict(_rows(model_input, self.model.spec)).values


def _rows(given: Any, spec: ModelSpec) -> Any:
    to_dict = getattr(given, "to_dict", None)
    if callable(to_dict):
        floats = _floats(dict(getattr(given, "dtypes", {}).items()))
        return _present(to_dict("records"), floats, spec)
    if isinstance(given, Mapping):
        dtypes = {name: getattr(values, "dtype", None) for name, values in given.items()}
        columns = {name: list(values) for name, values in given.items()}
        lengths = {len(values) for values in columns.values()}
        if len(lengths) != 1:
            raise ValueError(f"columns of {sorted(lengths)} values; all must have as many")
        rows = [dict(zip(columns, row)) for row in zip(*columns.values())]
        return _present(rows, _floats(dtypes), spec)
    return given


def _floats(dtypes: Mapping[str, Any]) -> dict[str, int]:
    """The columns of floats, with the number below which their whole numbers are exact."""
    return {
        name: _EXACT_BELOW.get(dtype.itemsize, _EXACT_BELOW[8])
        for name, dtype in dtypes.items()
        if getattr(dtype, "kind", "") == "f"
    }


def _present(
    rows: Sequence[Mapping[str, Any]], floats: Mapping[str, int], spec: ModelSpec
) -> list[dict[str, Any]]:
    """Rows with None for each missing value, and integers for ids and categories in floats."""
    whole = floats.keys() & {each.name for each in (*spec.categorical, *spec.ids)}
    present = []
    for index, row in enumerate(rows):
        values = {name: None if _missing(value) else value for name, value in row.items()}
        for name in whole & values.keys():
            values[name] = _integer(name, values[name], floats[name], index)
        present.append(values)
    return present


def _missing(value: Any) -> bool:
    unequal = value != value
    if isinstance(unequal, (bool, np.bool_)):
        return bool(unequal)
    # A comparison of pandas.NA is pandas.NA, which is neither true nor false.
    return unequal is value


def _integer(name: str, value: Any, exact_below: int, row: int) -> Any:
    if value is None or not float(value).is_integer():
        return value
    if abs(value) >= exact_below:
        raise MalformedEventError(
            name,
            f"{value} in a column of floats may have been rounded; give ids and categories as"
            " texts, or as integers with missing values (Int64)",
            row,
        )
    return int(value)


def _load_pyfunc(path: str) -> PythonFunction:
    """Loads the model in a folder; MLflow calls it with the path of the data."""
    places = [each for each in Path(path).glob("*/*") if each.is_dir()]
    if len(places) != 1:
        raise ModelError(f"{path} has models of {len(places)} applications instead of one")
    of = Place(places[0].parent.name, int(places[0].name))
    reader = ModelReader(FolderSource(path))
    version = reader.current(of)
    if version is None:
        raise ModelError(f"{path} has no version")
    return PythonFunction(Loader(reader, of, Limits()).load(version, None))


def main() -> int:
    """Writes a version as the command line says."""
    options = argparse.ArgumentParser(
        prog="idlalayer.mlflow", description="Writes a version as a model of MLflow."
    )
    options.add_argument("store", help="folder of the models, or address of `idla models serve`")
    options.add_argument("application")
    options.add_argument("folder", help="must not exist yet")
    options.add_argument("--partition", type=int, default=0)
    options.add_argument("--alias", help="the version that has this name")
    options.add_argument("--token-file", help="file with the token that the server wants")
    given = options.parse_args()
    try:
        token = None
        if given.token_file:
            token = Path(given.token_file).read_text(encoding="ascii").strip()
        number = save(
            given.store,
            given.application,
            given.folder,
            given.partition,
            alias=given.alias,
            token=token,
        )
    except (ModelError, OSError, ValueError) as failed:
        print(f"error: {failed}", file=sys.stderr)
        return 1
    print(f"{given.application} v{number}, verified, in {given.folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
