"""What hlo-view collects: texts of passes as edits, the ops that lines compute, names that stay, memory, sources."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from mlir import ir

import hlo
from hlo.dialect.locations import diagnostic
from hlo.dialect.printer import print_module
from hlo.dialect.registration import make_context
from hlo.errors import CompileError
from hlo.pipelines import cpu, run
from hlo.runtime.compile.entry_function import entry_only
from hlo.runtime.compile.llvm_engine import assembly
from hlo.tools.hlo_view import main
from hlo.tools.view.alignment import align
from hlo.tools.view.collect import compile_watched
from hlo.tools.view.lines import Line, lines_of, printed
from hlo.tools.view.origins import NumberedOps
from hlo.tools.view.report import report_of
from hlo.tools.view.stable_names import with_stable_names

EXAMPLES = Path(__file__).parents[3] / "examples"

SOFTMAX = """\
func.func @main(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %lowest) applies stablehlo.maximum across dimensions = [1] : (tensor<64x128xf32>, tensor<f32>) -> tensor<64xf32>
  %b = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<64xf32>) -> tensor<64x128xf32>
  %c = stablehlo.subtract %x, %b : tensor<64x128xf32>
  %e = stablehlo.exponential %c : tensor<64x128xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x128xf32>, tensor<f32>) -> tensor<64xf32>
  %d = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<64xf32>) -> tensor<64x128xf32>
  %r = stablehlo.divide %e, %d : tensor<64x128xf32>
  return %r : tensor<64x128xf32>
}
"""


@pytest.fixture(scope="module")
def softmax():
    return compile_watched(hlo.parse(SOFTMAX), "cpu", "main", {})


@pytest.fixture(scope="module")
def mlp():
    return compile_watched(hlo.load(EXAMPLES / "mlp.mlir"), "cpu", "main", {})


def replayed(edits, before):
    """The texts of lines after edits, as the page makes them."""
    made, at = [], 0
    for edit in edits:
        if isinstance(edit, str):
            made.append(edit.split(" ", 1)[1])
        elif edit < 0:
            at -= edit
        else:
            made += before[at : at + edit]
            at += edit
    assert at <= len(before)
    return made


def texts(made):
    found, lines = [], []
    for step in made.history.steps:
        lines = replayed(step.edits, lines)
        found.append(lines)
    return found


def normal(text):
    """A text as MLIR numbers it."""
    with make_context(exact=True):
        return str(ir.Module.parse(text))


class Watch:
    """The text after each pass, without anything of hlo-view."""

    def __init__(self):
        self.texts = []

    def before(self, name, module):
        pass

    def after(self, name, module):
        self.texts.append(str(module))


@pytest.mark.parametrize("program", ["mlp.mlir", "cnn_gradient_step.mlir", "lstm.mlir"])
def test_texts_are_those_of_the_passes(program):
    """Each step's text, with its own names of values, is the same module as the one that the pass leaves."""
    made = compile_watched(hlo.load(EXAMPLES / program), "cpu", "main", {})
    watch = Watch()
    run(entry_only(hlo.load(EXAMPLES / program), "main"), cpu(), on_pass=watch)
    shown = texts(made)[1:-1]
    assert len(shown) == len(watch.texts)
    compared = 0
    for step, ours, theirs in zip(made.history.steps[1:], shown, watch.texts):
        if step.phase in ("stablehlo", "memory") or any("dense_resource" in line for line in ours):
            continue  # StableHLO's short forms are not MLIR's; memory may hold elided tables
        assert normal("\n".join(ours)) == normal(theirs), step.name
        compared += 1
    assert compared > 20


def test_steps_have_phases_in_order(mlp):
    phases = list(dict.fromkeys(step.phase for step in mlp.history.steps))
    assert phases == ["input", *(phase.name for phase in cpu()), "code"]


def test_changes_are_counted(mlp):
    shown = [[], *texts(mlp)]
    for step, before, after in zip(mlp.history.steps, shown, shown[1:]):
        assert len(after) - len(before) == step.added - step.dropped, step.name


def test_code_is_what_is_compiled():
    """The instructions with debug information are those without."""
    module = entry_only(hlo.parse(SOFTMAX), "main")
    run(module, cpu())
    plain = assembly(module)
    made = compile_watched(hlo.parse(SOFTMAX), "cpu", "main", {})

    def instructions(lines):
        words = (re.sub(r"\s+", " ", line.partition("#")[0]).strip() for line in lines)
        return [line for line in words if line and not line.startswith(".")]

    assert instructions(line.text for line in made.history.lines) == instructions(plain.splitlines())


def test_instructions_know_their_ops(softmax):
    """Vector instructions of the kernel belong to ops of the program: divisions to the divide."""
    first = texts(softmax)[0]
    input_lines = lines_of_first_step(softmax)
    divide = next(line.ops for line in input_lines if "stablehlo.divide" in line.text)
    divisions = [line for line in softmax.history.lines if re.match(r"\s+vdivps", line.text)]
    assert first and divisions
    assert any(set(divide) <= set(line.ops) for line in divisions)
    maxima = next(line.ops for line in input_lines if "stablehlo.maximum" in line.text)
    assert not any(set(maxima) & set(line.ops) for line in divisions)
    known = [line for line in softmax.history.lines if re.match(r"\s+v\w+", line.text)]
    assert sum(bool(line.ops) for line in known) > 0.8 * len(known)


def lines_of_first_step(made):
    sets = list(made.history.ops)
    edits = made.history.steps[0].edits
    return [Line(edit.split(" ", 1)[1], sets[int(edit.split(" ", 1)[0], 36)]) for edit in edits]


def test_an_op_with_regions_has_its_number_on_all_its_own_lines(softmax):
    lines = lines_of_first_step(softmax)
    start = next(n for n, line in enumerate(lines) if "stablehlo.reduce" in line.text)
    assert lines[start].ops and lines[start].ops == lines[start + 1].ops
    assert lines[start + 2].ops != lines[start].ops
    end = next(n for n in range(start, len(lines)) if lines[n].text.strip() == "}")
    assert lines[end].ops == lines[start].ops


def test_every_equal_layer_leads_to_the_one_kernel():
    """An op whose kernel became an equal one's belongs to that one's instructions."""
    layers = "".join(
        f"  %{n + 1} = stablehlo.dot_general %{n}, %w{n}, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>\n"
        for n in range(2)
    )
    arguments = ", ".join(f"%w{n}: tensor<64x64xf32>" for n in range(2))
    made = compile_watched(
        hlo.parse(
            f"func.func @main(%0: tensor<64x64xf32>, {arguments}) -> tensor<64x64xf32> {{\n{layers}  return %2 : tensor<64x64xf32>\n}}"
        ),
        "cpu",
        "main",
        {},
    )
    dots = {op for line in lines_of_first_step(made) if "dot_general" in line.text for op in line.ops}
    assert len(dots) == 2
    multiplications = [line for line in made.history.lines if re.match(r"\s+vfmadd", line.text)]
    assert multiplications and all(set(line.ops) == dots for line in multiplications)


def test_values_keep_their_names():
    old = [Line("func.func @f(%arg0: f32) {"), Line("  %0 = a %arg0", (1,)), Line("  %1 = b %0, %0", (2,))]
    new = [
        Line("func.func @f(%arg0: f32) {"),
        Line("  %0 = c %arg0", (3,)),
        Line("  %1 = a %0", (1,)),
        Line("  %2 = b %1, %1", (2,)),
    ]
    renamed, pairs = with_stable_names(old, new)
    assert [line.text for line in renamed[1:]] == ["  %2 = c %arg0", "  %0 = a %2", "  %1 = b %0, %0"]
    assert pairs == [(0, 0), (1, 2), (2, 3)]


def test_texts_in_quotes_keep_their_names():
    old = [Line("func.func @f() {"), Line('  %7 = a "%0 %1"')]
    new = [Line("func.func @f() {"), Line('  %0 = a "%0 %1"')]
    assert with_stable_names(old, new)[0][1].text == '  %7 = a "%0 %1"'


@pytest.mark.parametrize(
    "old, new, most",
    [
        ("", "", 0),
        ("abc", "abc", 3),
        ("abc", "xabyc", 3),
        ("aaaa", "aaa", 3),
        ("abcd", "dcba", 1),
        ("ab" * 200, "ba" * 200, 399),
    ],
)
def test_alignment(old, new, most):
    pairs = align(old, new)
    assert all(old[i] == new[j] for i, j in pairs)
    assert all(a < c and b < d for (a, b), (c, d) in pairwise(pairs))
    assert len(pairs) == most


def test_locations_leave_the_text_and_strings_stay():
    module = hlo.parse(
        """module @"loc(unknown)" { func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.custom_call @"a loc(\\"op\\":7:0)"(%x) {backend_config = " loc(#loc) )("} : (tensor<f32>) -> tensor<f32> loc("n)\\" ame("("f.py":1:2))
  return %0 : tensor<f32> loc(callsite("f"("f.py":3:4) at fused["g.py":5:6, unknown]))
} }"""
    )
    numbered = NumberedOps(module)
    lines = lines_of(printed(module), numbered)
    assert "\n".join(line.text for line in lines) == print_module(module).rstrip("\n")
    call = next(line for line in lines if "custom_call" in line.text)
    (op,) = call.ops
    assert numbered.origins[op].name == 'n)" ame('
    assert numbered.origins[op].positions[0] == ("f.py", 1, 2)
    (end,) = next(line.ops for line in lines if "return" in line.text)
    assert [position[:2] for position in numbered.origins[end].positions] == [("f.py", 3), ("g.py", 5)]


def test_kernels(softmax):
    kernel = softmax.kernels[0]
    assert kernel.kind == "region" and kernel.calls == 1
    assert kernel.schedule["stages"][0]["loops"] == [64, 128]
    head, _ = report_of(softmax, "softmax", None, [])
    assert head["remarks"][0]["kernel"] == kernel.name
    assert "line" not in head["remarks"][0]["text"]


def test_memory_is_the_arena(mlp):
    """Values that live at the same time have different bytes, all in the arena of the executable."""
    (plan,) = mlp.memory
    exe = hlo.compile(EXAMPLES / "mlp.mlir", cache=False)
    assert plan["size"] == exe.memory.temporaries
    values = plan["values"]
    assert values and all(v["offset"] >= 0 and v["offset"] + v["size"] <= plan["size"] for v in values)
    for n, a in enumerate(values):
        assert 0 <= a["start"] <= a["end"] < len(plan["steps"])
        for b in values[n + 1 :]:
            together = a["start"] < b["end"] and b["start"] < a["end"]  # a kernel may write where it reads
            apart = a["offset"] + a["size"] <= b["offset"] or b["offset"] + b["size"] <= a["offset"]
            assert apart or not together, (a, b)


def test_values_of_loops_live_through_them():
    made = compile_watched(hlo.load(EXAMPLES / "lstm.mlir"), "cpu", "main", {})
    (plan,) = made.memory
    counter = next(v for v in plan["values"] if v["type"] == "memref<i32>")
    assert counter["end"] == len(plan["steps"]) - 1


def test_sources_are_those_of_the_folders(tmp_path):
    """A program names files; only Python files in folders of the user become part of the page."""
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    (inside / "model.py").write_text("model\n")
    (outside / "secret.py").write_text("secret\n")
    (inside / "key.txt").write_text("key\n")
    (inside / "link.py").symlink_to(outside / "secret.py")
    names = [
        inside / "model.py",
        outside / "secret.py",
        inside / "key.txt",
        inside / "link.py",
        inside,
        "no\\00file.py",
    ]
    ops = "".join(
        f'  %{n + 1} = stablehlo.negate %{n} : tensor<4xf32> loc("{name}":1:1)\n' for n, name in enumerate(names)
    )
    made = compile_watched(
        hlo.parse(
            f"func.func @main(%0: tensor<4xf32>) -> tensor<4xf32> {{\n{ops}  return %{len(names)} : tensor<4xf32>\n}}"
        ),
        "cpu",
        "main",
        {},
    )
    head, (links, *_) = report_of(made, "t", None, [inside])
    shown = {file["name"]: text for file, text in zip(head["files"], links["sources"]) if file["shown"]}
    assert shown == {str(inside / "model.py"): "model\n"}


def test_for_a_gpu():
    made = compile_watched(hlo.parse(SOFTMAX), "gpu", "main", {"arch": "sm_80"})
    assert made.kernels and made.remarks
    assert any(".visible .entry" in line.text for line in made.history.lines)
    loads = [line for line in made.history.lines if re.match(r"\s+ld\.global", line.text)]
    assert loads and all(line.ops for line in loads)


# ---- the command line


def test_help_teaches(capsys):
    assert main(["--help"]) == 0
    printed_help = capsys.readouterr().out
    assert "hlo-view model.mlir -o model.html" in printed_help and "Kernels" in printed_help


def test_a_title_that_is_no_text(tmp_path):
    """Bytes of a command line that are no UTF-8 are surrogates in Python."""
    (tmp_path / "p.mlir").write_text("func.func @main(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }")
    assert main([str(tmp_path / "p.mlir"), "-o", str(tmp_path / "p.html"), "--title", "a\udcffb"]) == 0
    assert "<title>a\\udcffb" in (tmp_path / "p.html").read_text()


def test_an_error_names_the_program_s_own_place():
    """Where a pass finds fault with a numbered op, the user is told of the place that the op had."""
    module = hlo.parse(
        'func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  %0 = stablehlo.negate %x : tensor<4xf32> loc("layer/neg"("model.py":12:3))\n'
        "  return %0 : tensor<4xf32>\n}"
    )
    numbered = NumberedOps(module)
    found: list[str] = []

    def visit(op):
        if op.name == "stablehlo.negate":
            error = CompileError(diagnostic(op.opview, "no code for it"), "a remark without a place")
            found.append(str(numbered.restored(error)))
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    assert found == ["model.py:12:3: error: no code for it\na remark without a place"]


@pytest.mark.parametrize("output", ["no/such/folder/p.html", ""])
def test_pages_that_cannot_be_written(tmp_path, output, capsys):
    program = tmp_path / "p.mlir"
    program.write_text("func.func @main() { return }")
    assert main([str(program), "-o", str(tmp_path / output)]) == 1
    assert "cannot write" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["p.mlir"]


@pytest.mark.parametrize(
    "text, message",
    [
        ("func.func @main(%x: tensor<?xf32>) { return }", "dynamic shapes"),
        ("func.func @other() { return }", "no function 'main'"),
        (
            "module attributes {mhlo.num_replicas = -2 : i32} { func.func @main() { return } }",
            "mhlo.num_replicas",
        ),
    ],
)
def test_programs_without_a_page(tmp_path, text, message, capsys):
    program = tmp_path / "p.mlir"
    program.write_text(text)
    assert main([str(program), "-o", str(tmp_path / "p.html")]) == 1
    assert message in capsys.readouterr().err
    assert not (tmp_path / "p.html").exists()


GRID = "module attributes {mhlo.num_replicas = 2 : i32} { func.func @main() { return } }"


@pytest.mark.parametrize(
    "options, message",
    [(["--target=gpu"], "not supported by target 'gpu'"), (["--profile"], "programs of one process")],
)
def test_what_grids_have_not(tmp_path, options, message, capsys):
    program = tmp_path / "p.mlir"
    program.write_text(GRID)
    assert main([str(program), "-o", str(tmp_path / "p.html"), *options]) == 1
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    "kind, groups, group, sent", [("all_gather", "[[0, 1], [2, 3]]", 2, 64), ("all_gather", "[[0, 1, 2, 3]]", 4, 192)]
)
def test_what_processes_send(kind, groups, group, sent):
    """In a ring each process passes on all parts of the result but one."""
    rows = len(groups.split("],"))
    text = f"""module attributes {{mhlo.num_partitions = 4 : i32}} {{ func.func @main(%x: tensor<4x4xf32>) -> tensor<{4 * group}x4xf32> {{
      %0 = "stablehlo.{kind}"(%x) {{all_gather_dim = 0 : i64, replica_groups = dense<{groups}> : tensor<{rows}x{group}xi64>,
        channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}} : (tensor<4x4xf32>) -> tensor<{4 * group}x4xf32>
      return %0 : tensor<{4 * group}x4xf32> }} }}"""
    made = compile_watched(hlo.parse(text), "cpu", "main", {})
    ((ops, found),) = made.collectives
    assert (found.kind, found.group, found.sent) == (kind, group, sent) and len(ops) == 1


def test_usage(capsys):
    assert main([]) == 2
    assert main(["x.mlir", "-o", "x.html", "--gpu-arch", "sm_90"]) == 2


def test_scripts_set_no_html():
    """What comes from a program reaches the page as text alone."""
    for script in (Path(hlo.tools.__file__).parent / "view/page").glob("*.js"):
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\(|new Function", script.read_text()
        )
