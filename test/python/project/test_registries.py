"""What must not go stale: passes and ops with their tests, packages in pyproject.toml, options in the docs, Python 3.10."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from hlo.dialect.definition import OPS
from hlo.dialect.registration import make_context
from hlo.lowering.passes import load_all_passes
from hlo.tools.opt.lists import summary_of

ROOT = Path(__file__).parents[3]
TEXT = (ROOT / "pyproject.toml").read_text()
SECTION = TEXT.partition("[tool.setuptools.package-dir]\n")[2].partition("\n[")[0]
FOLDERS = dict(re.findall(r'^"([\w.]+)" = "([\w/]+)"$', SECTION, re.MULTILINE))
PACKAGES = re.findall(r'"([\w.]+)"', TEXT.partition("[tool.setuptools]\npackages = [")[2].partition("]")[0])


def test_every_pass_has_a_lit_file() -> None:
    """The file stands in the folder of test/lowering that mirrors the pass's own, or below one that mirrors a folder around it."""
    phases = {
        name: cls.__module__.split(".")[2]
        for name, cls in load_all_passes().items()
        if cls.__module__.startswith("hlo.lowering.")
    }
    assert phases
    assert [
        name
        for name, phase in sorted(phases.items())
        if not list((ROOT / "test/lowering" / phase).rglob(f"{name}.mlir"))
    ] == []


def test_every_pass_is_summed_up_by_a_sentence() -> None:
    """It is what `hlo-opt --list-passes` prints."""
    summaries = {name: summary_of(cls) for name, cls in load_all_passes().items()}
    assert {name: text for name, text in summaries.items() if not re.fullmatch(r"[A-Z].{10,240}[.:]", text)} == {}


def package_of(folder: str) -> str:
    place = next((p for p in FOLDERS.values() if f"{folder}/".startswith(f"{p}/")), folder.split("/")[0])
    rest = folder.removeprefix(place).strip("/")
    name = next((package for package, there in FOLDERS.items() if there == place), f"hlo.{place}")
    return f"{name}.{rest.replace('/', '.')}" if rest else name


def test_every_package_is_in_pyproject() -> None:
    listed = subprocess.run(["git", "ls-files", "*__init__.py"], cwd=ROOT, capture_output=True, text=True).stdout
    folders = [
        str(Path(line).parent)
        for line in listed.split()
        if not line.startswith(("test/", "bench/", "integrations/ecosystem/"))
    ]
    assert len(folders) > 10
    assert sorted(package_of(f) for f in folders if package_of(f) not in PACKAGES) == []
    assert sorted({f.split("/")[0] for f in folders} - {f.split("/")[0] for f in FOLDERS.values()}) == []


LATER = {"tomllib", "StrEnum", "ExceptionGroup", "batched", "assert_never", "assert_type", "LiteralString"}
"""Names of the standard library that Python 3.10 does not have."""


def sources() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True).stdout
    return [ROOT / line for line in listed.split() if (ROOT / line).exists()]


def test_sources_are_python_3_10() -> None:
    assert len(sources()) > 100
    for path in sources():
        tree = ast.parse(path.read_text(), str(path), feature_version=(3, 10))
        for node in ast.walk(tree):
            names = [a.name for a in node.names] if isinstance(node, (ast.Import, ast.ImportFrom)) else []
            found = LATER.intersection([*names, getattr(node, "attr", ""), getattr(node, "id", "")])
            typing_self = isinstance(node, ast.ImportFrom) and node.module == "typing" and "Self" in names
            assert not found and not typing_self, f"{path}:{getattr(node, 'lineno', 0)}: {found or 'typing.Self'}"
            assert type(node).__name__ != "TryStar", f"{path}:{node.lineno}: except*"


def test_commands_of_the_readme_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    readme = (ROOT / "README.md").read_text()
    commands = re.findall(r"`make ([a-z-]+)`", readme)
    assert commands and set(commands) <= targets
    links = re.findall(r"\]\(([\w/.]+)\)", readme)
    assert [link for link in links if not (ROOT / link).exists()] == []


WITHOUT_E2E = {
    "stablehlo.return": "ends regions",
    "stablehlo.compute_reshape_shape": "takes a builtin index, which no op of these dialects gives",
    "stablehlo.cstr_reshapable": "takes a builtin index, and gives a witness to the shape dialect",
}
"""Ops that no program can show, with the reason."""


def test_every_op_has_an_e2e_file() -> None:
    make_context()
    have = {path.stem for path in (ROOT / "test" / "e2e").glob("*.mlir")}
    wanted = {name.removeprefix("stablehlo.") for name in OPS if name not in WITHOUT_E2E}
    assert sorted(wanted - have) == []


def test_e2e_files_are_what_their_generator_writes() -> None:
    command = [sys.executable, str(ROOT / "test" / "e2e" / "generate"), "--check"]
    checked = subprocess.run(command, capture_output=True, text=True)
    assert checked.returncode == 0, f"run python test/e2e/generate: {checked.stdout}{checked.stderr}"


def test_every_e2e_file_is_in_one_group() -> None:
    folder = ROOT / "test" / "e2e"
    words = [word for group in folder.glob("*.test") for word in group.read_text().split()]
    patterns = [word.removeprefix("%S/") for word in words if word.startswith("%S/")]
    found = sorted(path.name for pattern in patterns for path in folder.glob(pattern))
    assert found == sorted(path.name for path in folder.glob("*.mlir")) != []


@pytest.mark.slow
def test_the_wheel_holds_every_module(tmp_path: Path) -> None:
    """Built from a copy: in place, what a build that was interrupted has left would be in the way."""
    copy = shutil.copytree(ROOT, tmp_path / "copy", ignore=shutil.ignore_patterns("build", ".*", "*.egg-info", "test"))
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(tmp_path), str(copy)]
    subprocess.run(command, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    held = set(zipfile.ZipFile(wheel).namelist())
    wanted = set()
    for package in PACKAGES:
        base = max((p for p in FOLDERS if package == p or package.startswith(f"{p}.")), key=len)
        folder = ROOT / FOLDERS[base] / package[len(base) + 1 :].replace(".", "/")
        wanted |= {f"{package.replace('.', '/')}/{file.name}" for file in folder.glob("*.py")}
    assert len(wanted) > 100 and sorted(wanted - held) == []


def test_a_small_program_does_not_import_what_takes_long():
    """The definitions of linalg's ops in Python take as long to import as a small program to compile."""
    script = """import sys, hlo
hlo.compile("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { %0 = stablehlo.add %x, %x : tensor<4xf32> return %0 : tensor<4xf32> }", cache=False)
print([name for name in sys.modules if name.startswith(("mlir.dialects.linalg", "scipy", "jax", "torch"))])"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "[]", done.stderr[-2000:]
