#!/usr/bin/env python3
"""Reads the model in service from `idla models serve`, with Python's standard library only.

    python3 read_model.py http://127.0.0.1:8090/models/ electricity

Fetches pointer, manifest and files, compares every length and SHA-256, and prints the shape of the
network's parameters and the first of them. Python 3.9 or newer.
"""

import argparse
import array
import hashlib
import io
import json
import struct
import sys
import urllib.error
import urllib.parse
import urllib.request
import zipfile

LARGEST_TEXT_BYTES = 16 << 20
LOOKS = 5


class ModelError(Exception):
    """What is served is damaged, or is not a model."""


class Deleted(Exception):
    """There is no such file: never, or not any more."""


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect could lead the token to another host."""

    def redirect_request(self, *arguments):
        return None


class Server:
    """A server of models."""

    def __init__(self, address, token=None, timeout_seconds=30):
        if urllib.parse.urlsplit(address).scheme not in ("http", "https"):
            raise ModelError(f"{address} is not an address; one looks like http://HOST:PORT/models/")
        self.address = address.rstrip("/")
        self.token = token
        self.timeout_seconds = timeout_seconds
        self.opener = urllib.request.build_opener(
            NoRedirects(), urllib.request.ProxyHandler({})
        )

    def get(self, path, most_bytes):
        """The bytes under a path, at most so many."""
        url = f"{self.address}/{path}"
        request = urllib.request.Request(url)
        if self.token:
            request.add_header("Authorization", f"Bearer {self.token}")
        try:
            with self.opener.open(request, timeout=self.timeout_seconds) as answer:
                content = answer.read(most_bytes + 1)
        except urllib.error.HTTPError as refused:
            if refused.code == 404:
                raise Deleted(url) from refused
            advice = "; it wants a token (--token-file)" if refused.code == 401 else ""
            raise ModelError(f"{url}: the server answered {refused.code}{advice}") from refused
        if len(content) > most_bytes:
            raise ModelError(f"{url} has more than {most_bytes} bytes")
        return content


def verified(content, size, sha256, what):
    """The content, if it has this length and SHA-256."""
    if len(content) != size:
        raise ModelError(f"{what} has {len(content)} bytes, its manifest says {size}")
    if hashlib.sha256(content).hexdigest() != sha256:
        raise ModelError(f"{what} does not have the SHA-256 {sha256}")
    return content


def serving(server, place, pointer):
    """The pin, if there is one that holds: an older version serves then; else the pointer."""
    try:
        pin = json.loads(server.get(f"{place}/pin.json", LARGEST_TEXT_BYTES))
    except Deleted:
        return pointer
    if pin["formatVersion"] != 1:
        raise ModelError(f"pin format {pin['formatVersion']} is not known here")
    return pin if pin["until"] == 0 or pointer["version"] <= pin["until"] else pointer


def named(server, place, alias):
    """What names the version that has an alias, in place of a pointer."""
    try:
        found = json.loads(server.get(f"{place}/aliases.json", LARGEST_TEXT_BYTES))
    except Deleted:
        found = {"formatVersion": 1, "aliases": {}}
    if found["formatVersion"] != 1:
        raise ModelError(f"aliases of format {found['formatVersion']} are not known here")
    if alias not in found["aliases"]:
        raise ModelError(f"{place} has no alias '{alias}'")
    return found["aliases"][alias]


def current(server, place):
    """What names the version in service: the pointer, or the pin."""
    try:
        pointer = json.loads(server.get(f"{place}/current.json", LARGEST_TEXT_BYTES))
    except Deleted as nothing:
        raise ModelError(f"{place} has published no model") from nothing
    if pointer["formatVersion"] != 1:
        raise ModelError(f"pointer format {pointer['formatVersion']} is not known here")
    if pointer["version"] == 0:
        raise ModelError(f"{place} has published no model yet")
    return serving(server, place, pointer)


def fetch_version(server, application, partition, alias=None):
    """Manifest and files of the version in service, or of an alias; without the rows of tables."""
    place = f"{application}/{partition}"
    pointer = named(server, place, alias) if alias else current(server, place)
    folder = f"{place}/v{pointer['version']:010d}"
    text = server.get(f"{folder}/manifest.json", LARGEST_TEXT_BYTES)
    if hashlib.sha256(text).hexdigest() != pointer["digest"]:
        raise ModelError(f"the manifest of {folder} is not the one that is named")
    manifest = json.loads(text)
    if (manifest["application"], manifest["partition"], manifest["version"]) != (
        application,
        partition,
        pointer["version"],
    ):
        raise ModelError(f"{folder} has the manifest of another version")
    files = {}
    for file in manifest["files"]:
        if file["name"] != "rows.bin":
            content = server.get(f"{folder}/{file['name']}", file["bytes"])
            files[file["name"]] = verified(
                content, file["bytes"], file["sha256"], f"{folder}/{file['name']}"
            )
    return manifest, files


def fetch_current(server, application, partition, alias=None):
    """As fetch_version; if the version is deleted meanwhile, there is a newer one."""
    for look in range(LOOKS):
        try:
            return fetch_version(server, application, partition, alias)
        except Deleted as gone:
            last = gone
    raise ModelError(f"{last} was deleted while it was read, {LOOKS} times")


def text(stream):
    """A text: its length in two bytes, its characters."""
    (length,) = struct.unpack(">H", exactly(stream, 2))
    return exactly(stream, length).decode("latin-1")


def exactly(stream, size):
    content = stream.read(size)
    if len(content) != size:
        raise ModelError("an array is cut off")
    return content


def longs(stream, count):
    return list(struct.unpack(f">{count}q", exactly(stream, 8 * count)))


def expect(found, wanted):
    if found != wanted:
        raise ModelError(f"an array has {found!r} where {wanted!r} was expected")


def read_array(stream):
    """An array as ND4J writes it: shape, 'c' or 'f' for the order of its values, values.

    text "MIXED_DATA_TYPES", long 2 rank + 4, text "LONG",
    longs: rank, shape, strides, type bits, 1, 'c' or 'f'
    text "MIXED_DATA_TYPES", long values, text "FLOAT" or "DOUBLE", values

    All numbers are big-endian.
    """
    expect(text(stream), "MIXED_DATA_TYPES")
    (count,) = longs(stream, 1)
    expect(text(stream), "LONG")
    (rank,) = longs(stream, 1)
    if not 0 <= rank <= 32 or count != 2 * rank + 4:
        raise ModelError(f"an array has {rank} dimensions in {count} numbers")
    shape = longs(stream, rank)
    longs(stream, rank + 1)  # Strides and type bits follow from the rest.
    step, order = longs(stream, 2)
    if step != 1 or order not in (ord("c"), ord("f")):
        raise ModelError(f"an array has step {step} and order {order}")
    expect(text(stream), "MIXED_DATA_TYPES")
    (length,) = longs(stream, 1)
    code = {"FLOAT": "f", "DOUBLE": "d"}.get(text(stream))
    product = 1
    for size in shape:
        product *= size
    if code is None or length != product:
        raise ModelError(f"an array of shape {shape} has {length} values of an unknown type")
    values = array.array(code)
    values.frombytes(exactly(stream, length * values.itemsize))
    if sys.byteorder == "little":
        values.byteswap()
    return shape, chr(order), values


def parameters(model_zip):
    """Shape, order and values of all parameters of a network, in the order of its layers."""
    with zipfile.ZipFile(io.BytesIO(model_zip)) as archive:
        content = archive.read("coefficients.bin")
    stream = io.BytesIO(content)
    found = read_array(stream)
    if stream.read(1):
        raise ModelError("coefficients.bin is longer than its array")
    return found


def layers(model_zip):
    """Names of the network's layers, from its configuration."""
    with zipfile.ZipFile(io.BytesIO(model_zip)) as archive:
        configuration = json.loads(archive.read("configuration.json"))
    if "confs" in configuration:
        found = [each["layer"] for each in configuration["confs"]]
    else:
        vertices = configuration.get("vertices", {}).values()
        found = [each.get("layerConf", {}).get("layer", each) for each in vertices]
    return [str(each.get("@class", "?")).rsplit(".", 1)[-1] for each in found]


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("address", help="as `idla models serve` printed it")
    options.add_argument("application")
    options.add_argument("--partition", type=int, default=0)
    options.add_argument("--alias", help="read the version with this name")
    options.add_argument("--token-file", help="file with the token that the server wants")
    given = options.parse_args()
    token = None
    if given.token_file:
        with open(given.token_file, encoding="ascii") as file:
            token = file.read().strip()
    server = Server(given.address, token)
    manifest, files = fetch_current(server, given.application, given.partition, given.alias)
    print(f"{given.application}/{given.partition} version {manifest['version']}")
    for name, content in sorted(files.items()):
        print(f"  {name}: {len(content)} bytes, verified")
    shape, order, values = parameters(files["model.zip"])
    print(f"layers: {', '.join(layers(files['model.zip']))}")
    print(f"parameters: shape {shape}, order {order}, {8 * values.itemsize} bits")
    print(f"first: {', '.join(repr(value) for value in values[:5])}")
    print(f"sum: {sum(values)!r}")


if __name__ == "__main__":
    try:
        main()
    except (ModelError, OSError, KeyError, ValueError, zipfile.BadZipFile) as failed:
        print(f"error: {failed}", file=sys.stderr)
        sys.exit(1)
