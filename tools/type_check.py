"""Runs mypy on the package as it is imported: build/types/hlo/* link to the folders of pyproject.toml's package-dir."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("dialect", "lowering", "pipelines", "runtime", "tools", "reference", "integrations")


def main() -> int:
    tree = ROOT / "build" / "types" / "hlo"
    tree.mkdir(parents=True, exist_ok=True)
    links = {name: ROOT / name for name in FOLDERS if (ROOT / name / "__init__.py").exists()}
    links.update((p.name, p) for p in (ROOT / "hlo").glob("*.py"))
    for name, target in links.items():
        link = tree / name
        if not link.is_symlink():
            link.symlink_to(target)
    command = [f"{sys.argv[1]}/mypy", "--config-file", str(ROOT / "pyproject.toml"), "-p", "hlo"]
    return subprocess.run(command, cwd=tree.parent).returncode


if __name__ == "__main__":
    sys.exit(main())
