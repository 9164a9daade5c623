"""Specifications of models for tests."""

from __future__ import annotations

from typing import Any

from idlalayer.spec import Label, ModelSpec, Use


def empty_spec(**fields: Any) -> ModelSpec:
    """A specification of a target, with these fields in the place of empty ones."""
    tables = fields.get("tables", ())
    given: dict[str, Any] = {
        "dense": (),
        "categorical": (),
        "ids": (),
        "label": Label("y", True, ()),
        "history": None,
        "network": "mlp",
        "plain_members": 1,
        "standardize": False,
        "tables": (),
        "uses": tuple(Use(i, "SUM") for i in range(len(tables))),
        "loss": "SQUARED",
    }
    return ModelSpec(**{**given, **fields})
