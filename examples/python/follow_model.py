#!/usr/bin/env python3
"""Follows a model and predicts events, with the package `idlalayer` (serving/python).

    python3 follow_model.py idla-work/electricity/models electricity events.jsonl

The store may also be the address of `idla models serve`. Each line of the file is an event in JSON; "-" is standard input. Prints a line of
JSON for each event: the version that predicted, and the most probable class with all probabilities, or the target. A line that is not an event
is reported on standard error with its number, and the exit code is 1 at the end.
"""

import argparse
import json
import logging
import sys

from idlalayer import MalformedEventError, ModelError, Subscriber


def answer(model, event):
    """What the model predicts for an event, as a dict."""
    predicted = model.predict(event)
    if not predicted.classes:
        return {"version": predicted.version, "prediction": float(predicted.targets[0])}
    probabilities = dict(zip(predicted.classes, (float(each) for each in predicted.values[0])))
    return {
        "version": predicted.version,
        "prediction": predicted.labels[0],
        "probabilities": probabilities,
    }


def predict_all(subscriber, lines):
    """Predicts each line with the version that serves by then; returns how many were no events."""
    refused = 0
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            print(json.dumps(answer(subscriber.model(), line)))
        except MalformedEventError as malformed:
            refused += 1
            print(f"line {number}: {malformed}", file=sys.stderr)
    return refused


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("store", help="folder of the models, or address of `idla models serve`")
    options.add_argument("application")
    options.add_argument("events", help="file with an event in each line, or -")
    options.add_argument("--partition", type=int, default=0)
    options.add_argument("--alias", help="predict with the version that has this name")
    options.add_argument("--token-file", help="file with the token that the server wants")
    options.add_argument("--wait", type=float, default=10, help="seconds to wait for a version")
    given = options.parse_args()
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(message)s")
    token = None
    if given.token_file:
        with open(given.token_file, encoding="ascii") as file:
            token = file.read().strip()
    subscriber = Subscriber(
        given.store, given.application, given.partition, alias=given.alias, token=token
    )
    with subscriber:
        subscriber.wait_for(timeout_seconds=given.wait)
        if given.events == "-":
            refused = predict_all(subscriber, sys.stdin)
        else:
            with open(given.events, encoding="utf-8") as lines:
                refused = predict_all(subscriber, lines)
    return 1 if refused else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (ModelError, TimeoutError, ValueError, OSError) as failed:
        print(f"error: {failed}", file=sys.stderr)
        sys.exit(2)
