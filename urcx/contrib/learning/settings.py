"""Settings of training methods: fields of data classes that know their meaning and range."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import field, fields, replace
from typing import Annotated, Any, NamedTuple, TypeVar

from urcx.errors import UsageError
from urcx.results.fields import Field
from urcx.results.tables import key

T = TypeVar("T")


def setting(
    default: Any,
    about: str,
    least: float | None = None,
    most: float | None = None,
    among: Sequence[str] = (),
) -> Any:
    """Return a field of a data class of settings, all of which are int, float or str."""
    known = {"about": about, "least": least, "most": most, "among": tuple(among)}
    return field(default=default, metadata=known)


def with_changes(settings: T, given: Mapping[str, Any]) -> T:
    """Return settings with some of them replaced, by values or by texts of them.

    Raises
    ------
    UsageError
        If there is no such setting, or a value is out of range.
    """
    known = {item.name: item for item in fields(settings)}  # type: ignore[arg-type]
    new = {}
    for name, value in given.items():
        if name not in known:
            raise UsageError(f"no setting is called {name}; there are: {', '.join(known)}")
        new[name] = _value(known[name], value)
    return replace(settings, **new)  # type: ignore[type-var]


def _value(item: dataclasses.Field[Any], given: Any) -> Any:
    kind: Any = type(item.default)
    among, least, most = (item.metadata[name] for name in ("among", "least", "most"))
    if kind is str:
        if given not in among:
            raise UsageError(f"{item.name} {given}: one of {', '.join(among)} is needed")
        return str(given)
    whole = "a whole number" if kind is int else "a number"
    wanted = f"{item.name} {given}: {whole} from {least:g} to {most:,} is needed"
    if isinstance(given, bool) or not isinstance(given, (int, float, str)):
        raise UsageError(wanted)
    try:
        value = kind(given)
    except (ValueError, OverflowError):
        raise UsageError(wanted) from None
    if (not isinstance(given, str) and value != given) or not least <= value <= most:
        raise UsageError(wanted)
    return value


def parsed(text: Sequence[str]) -> dict[str, str]:
    """Return settings given as texts NAME=VALUE, comma separated or several.

    Raises
    ------
    UsageError
        If a text has another form, or a setting is there twice.
    """
    result: dict[str, str] = {}
    for part in ",".join(text).split(","):
        name, sign, value = (item.strip() for item in part.partition("="))
        if not sign or not name or not value:
            raise UsageError(f"--set {part}: NAME=VALUE is needed")
        if name in result:
            raise UsageError(f"--set has {name} twice")
        result[name] = value
    return result


class Setting(NamedTuple):
    """A setting of a method of training."""

    method: Annotated[str, Field(key("method"), about="a method of training")]
    name: Annotated[str, Field(key("setting"), about="one of its settings", key="setting")]
    default: Annotated[Any, Field("default", about="its value unless another is given")]
    about: Annotated[str, Field("<meaning", about="what it means, and its range")]


def listed_settings(method: str, settings: Any) -> list[Setting]:
    """Return all settings of a method."""
    rows = []
    for item in fields(settings):
        known = item.metadata
        span = "" if known["among"] else f", {known['least']:g} to {known['most']:,}"
        rows.append(Setting(method, item.name, item.default, known["about"] + span))
    return rows
