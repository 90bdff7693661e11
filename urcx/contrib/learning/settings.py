"""Settings of training methods: fields of data classes with a meaning and a range."""

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
    """Return a field of a data class of settings, for an int, a float or a str."""
    metadata = {"about": about, "least": least, "most": most, "among": tuple(among)}
    return field(default=default, metadata=metadata)


def with_changes(settings: T, changes: Mapping[str, Any]) -> T:
    """Return settings with some of them replaced, by values or by strings.

    Raises
    ------
    UsageError
        If there is no such setting, or a value is out of range.
    """
    settings_by_name = {item.name: item for item in fields(settings)}  # type: ignore[arg-type]
    new = {}
    for name, value in changes.items():
        if name not in settings_by_name:
            raise UsageError(f"unknown setting {name}; known: {', '.join(settings_by_name)}")
        new[name] = _value(settings_by_name[name], value)
    return replace(settings, **new)  # type: ignore[type-var]


def _value(item: dataclasses.Field[Any], changed: Any) -> Any:
    kind: Any = type(item.default)
    among, least, most = (item.metadata[name] for name in ("among", "least", "most"))
    if kind is str:
        if changed not in among:
            raise UsageError(f"{item.name} {changed}: must be {' or '.join(among)}")
        return str(changed)
    number = "an integer" if kind is int else "a number"
    message = f"{item.name} {changed}: must be {number} from {least:g} to {most:,}"
    if isinstance(changed, bool) or not isinstance(changed, (int, float, str)):
        raise UsageError(message)
    try:
        value = kind(changed)
    except (ValueError, OverflowError):
        raise UsageError(message) from None
    if (not isinstance(changed, str) and value != changed) or not least <= value <= most:
        raise UsageError(message)
    return value


def parsed(text: Sequence[str]) -> dict[str, str]:
    """Return settings from texts NAME=VALUE, separated by commas or in several texts.

    Raises
    ------
    UsageError
        If a text has another form, or names a setting twice.
    """
    result: dict[str, str] = {}
    for part in ",".join(text).split(","):
        name, sign, value = (item.strip() for item in part.partition("="))
        if not sign or not name or not value:
            raise UsageError(f"--set {part}: must be NAME=VALUE")
        if name in result:
            raise UsageError(f"--set names {name} twice")
        result[name] = value
    return result


class Setting(NamedTuple):
    """A setting of a method of training."""

    method: Annotated[str, Field(key("method"), about="a method of training")]
    name: Annotated[str, Field(key("setting"), about="one of its settings", key="setting")]
    default: Annotated[Any, Field("default", about="its default value")]
    about: Annotated[str, Field("<meaning", about="its meaning and range")]


def listed_settings(method: str, settings: Any) -> list[Setting]:
    """Return all settings of a method."""
    rows = []
    for item in fields(settings):
        metadata = item.metadata
        span = "" if metadata["among"] else f", {metadata['least']:g} to {metadata['most']:,}"
        rows.append(Setting(method, item.name, item.default, metadata["about"] + span))
    return rows
