"""Runs mypy on the package as it is imported: build/types/hlo/* link to the folders of pyproject.toml's package-dir."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = {
    **{name: name for name in ("dialect", "lowering", "pipelines", "runtime", "tools", "reference", "builder")},
    "jax": "integrations/jax",
    "torch": "integrations/torch",
}
"""Subpackages of hlo and the folders that hold them."""


def main() -> int:
    tree = ROOT / "build" / "types" / "hlo"
    tree.mkdir(parents=True, exist_ok=True)
    links = {name: ROOT / place for name, place in FOLDERS.items() if (ROOT / place / "__init__.py").exists()}
    links.update((p.name, p) for p in (ROOT / "hlo").glob("*.py"))
    for name, target in links.items():
        link = tree / name
        if not link.is_symlink():
            link.symlink_to(target)
    command = [str(Path(sys.argv[1]).absolute() / "mypy"), "--config-file", str(ROOT / "pyproject.toml"), "-p", "hlo"]
    return subprocess.run(command, cwd=tree.parent).returncode


if __name__ == "__main__":
    sys.exit(main())
