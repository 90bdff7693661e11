"""Puts a bill of materials into the wheel (PEP 770): urcx, and what it needs of others.

Nothing of others is copied into urcx, so the list is that of the dependencies it declares.
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
    needed = {re.split(r"[^\w.-]", one, maxsplit=1)[0]: one for one in sorted(dependencies)}
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
            for other, requirement in needed.items()
        ],
        "dependencies": [{"ref": this, "dependsOn": [f"pkg:pypi/{other}" for other in needed]}],
    }


class BillOfMaterials(BuildHookInterface):  # type: ignore[misc]
    """Writes the bill for the wheel that hatchling builds."""

    def initialize(self, _version: str, build_data: dict[str, Any]) -> None:
        """Write the bill into a temporary file, and name that to hatchling."""
        core = self.metadata.core
        found = bill(
            core.raw_name, self.metadata.version, core.license_expression, core.dependencies
        )
        self.place = tempfile.TemporaryDirectory()
        file = Path(self.place.name) / "urcx.cdx.json"
        file.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8", newline="\n")
        build_data["sbom_files"].append(str(file))

    def finalize(self, *_: object) -> None:
        """Remove the temporary file."""
        self.place.cleanup()
