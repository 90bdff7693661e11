"""Puts a bill of materials into the wheel (PEP 770): urcx and its dependencies.

urcx contains no copies of other packages, so the list is the declared dependencies.
"""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


def bill(name: str, version: str, license_: str, dependencies: list[str]) -> dict[str, Any]:
    """Return a bill of materials in CycloneDX 1.6, the same for the same arguments."""
    this = f"pkg:pypi/{name}@{version}"
    requirements = {
        re.split(r"[^\w.-]", dependency, maxsplit=1)[0]: dependency
        for dependency in sorted(dependencies)
    }
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library",
                "bom-ref": this,
                "name": name,
                "version": version,
                "licenses": [{"license": {"id": license_}}],
                "purl": this,
            }
        },
        "components": [
            {
                "type": "library",
                "bom-ref": f"pkg:pypi/{other}",
                "name": other,
                "scope": "required",
                "purl": f"pkg:pypi/{other}",
                "properties": [{"name": "urcx:requirement", "value": requirement}],
            }
            for other, requirement in requirements.items()
        ],
        "dependencies": [
            {"ref": this, "dependsOn": [f"pkg:pypi/{other}" for other in requirements]}
        ],
    }


class BillOfMaterials(BuildHookInterface):  # type: ignore[misc]
    """Writes the bill for the wheel that hatchling builds."""

    def initialize(self, _version: str, build_data: dict[str, Any]) -> None:
        """Write the bill into a temporary file, and give its name to hatchling."""
        core = self.metadata.core
        document = bill(
            core.raw_name, self.metadata.version, core.license_expression, core.dependencies
        )
        self.place = tempfile.TemporaryDirectory()
        file = Path(self.place.name) / "urcx.cdx.json"
        file.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8", newline="\n")
        build_data["sbom_files"].append(str(file))

    def finalize(self, *_: object) -> None:
        """Remove the temporary file."""
        self.place.cleanup()
