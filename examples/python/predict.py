"""Asks a server of predictions, with Python's standard library only.

    python3 predict.py http://127.0.0.1:8091/v2 electricity events.jsonl [--token-file FILE]

Each line of the file is an event in JSON, as `{"period": 0.5, "nswprice": 0.06}`; "-" is standard input. Prints a line for each event, and what answered.
"""

import argparse
import json
import sys
import urllib.error
import urllib.request

MOST_ROWS = 1024


def ask(url, token, request):
    """Sends a request and returns the answer; fails with the reason that the server gives."""
    headers = {"Content-Type": "application/json"}
    if token:
        headers["Authorization"] = "Bearer " + token
    body = None if request is None else json.dumps(request).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=30) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as refused:
        sys.exit("%s: %d: %s" % (url, refused.code, json.load(refused).get("error")))


def predict(model, token, events):
    """Predicts events; returns the answer's parameters, and the outputs by name, a row for each event."""
    tensor = {"name": "events", "datatype": "BYTES", "shape": [len(events)], "data": events}
    answer = ask(model + "/infer", token, {"inputs": [tensor]})
    outputs = {}
    for output in answer["outputs"]:
        width = output["shape"][1] if len(output["shape"]) > 1 else 1
        data = output["data"]
        outputs[output["name"]] = [data[at : at + width] for at in range(0, len(data), width)]
    return answer["parameters"], outputs


def main():
    arguments = argparse.ArgumentParser(description="Asks a server of predictions.")
    arguments.add_argument("address", help="as `idla models serve --predict` printed it")
    arguments.add_argument("model", help="APPLICATION, or APPLICATION-PARTITION")
    arguments.add_argument("events", help='file with an event in JSON on each line, or "-"')
    arguments.add_argument("--token-file", help="file with the token that the server wants")
    given = arguments.parse_args()
    token = open(given.token_file).read().strip() if given.token_file else ""
    model = "%s/models/%s" % (given.address.rstrip("/"), given.model)
    print("takes", ", ".join(each["name"] for each in ask(model, token, None)["inputs"]))
    with sys.stdin if given.events == "-" else open(given.events) as lines:
        events = [line.strip() for line in lines if line.strip()]
    for start in range(0, len(events), MOST_ROWS):
        parameters, outputs = predict(model, token, events[start : start + MOST_ROWS])
        for row, prediction in enumerate(outputs["prediction"]):
            print(prediction[0], outputs.get("probabilities", [[]] * len(events))[row])
        print("version %d, %.1f s old" % (parameters["version"], parameters["age_millis"] / 1000))


if __name__ == "__main__":
    main()
