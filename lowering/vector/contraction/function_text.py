"""Writes one function as MLIR text: scf for control, arith and vector for arithmetic, the llvm dialect's pointers for memory
(constant offsets fold into addressing modes, pointers can be carried by loops). Parsing text is faster than creating ops
one by one, and a reader can compare it with what is printed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple, TypeVar

from hlo.lowering.loop_list import walk
from hlo.lowering.target import DOTS

POINTER = "!llvm.ptr"
Index = str | int
Body = Callable[[list[str], list[str]], list[str]]
"""From pointers, and the values that loops carry, to the next values."""

NOINLINE = 'passthrough = ["noinline"]'


class External(NamedTuple):
    """A function whose code is elsewhere: its name, and the names and types of its arguments."""

    name: str
    arguments: tuple[tuple[str, str], ...]


MOST_CONSTANT = 1 << 28
"""Of the constant indices that llvm.getelementptr holds itself: LLVM 22 keeps 29 bits of them, and aborts for more."""

FENCED = ("f32", "f64")
"""Element types of the intrinsic that `fenced` writes."""

SMALL_FLOATS = ("bf16", "f16")


class FunctionText:
    """A func.func under construction. Values are their SSA names; Python integers become i64 constants."""

    def __init__(self, name: str, arguments: Sequence[tuple[str, str]], *attributes: str):
        self.name = name
        self.arguments = list(arguments)
        self.attributes = list(attributes)
        self.externals: dict[str, External] = {}
        self._lines: list[str] = []
        self._constants: dict[tuple[str, str], str] = {}
        self._count = 0

    def fresh(self) -> str:
        self._count += 1
        return f"%v{self._count}"

    def do(self, text: str) -> None:
        self._lines.append(text)

    def op(self, text: str) -> str:
        result = self.fresh()
        self.do(f"{result} = {text}")
        return result

    def constant(self, value: str, type: str) -> str:
        return self._constants.setdefault((value, type), f"%c{len(self._constants)}")

    def i64(self, x: str | int) -> str:
        return self.constant(str(x), "i64") if isinstance(x, int) else x

    # arithmetic on i64

    def add(self, x: str | int, y: str | int) -> str | int:
        if isinstance(x, int) and isinstance(y, int):
            return x + y
        if x == 0 or y == 0:
            return y if x == 0 else x
        return self.op(f"arith.addi {self.i64(x)}, {self.i64(y)} : i64")

    def sub(self, x: str | int, y: str | int) -> str | int:
        if isinstance(x, int) and isinstance(y, int):
            return x - y
        return x if y == 0 else self.op(f"arith.subi {self.i64(x)}, {self.i64(y)} : i64")

    def mul(self, x: str | int, y: str | int) -> str | int:
        if isinstance(x, int) and isinstance(y, int):
            return x * y
        for factor, other in ((x, y), (y, x)):
            if factor in (0, 1):
                return other if factor else 0
        return self.op(f"arith.muli {self.i64(x)}, {self.i64(y)} : i64")

    def min(self, x: str | int, y: str | int) -> str | int:
        if isinstance(x, int) and isinstance(y, int):
            return min(x, y)
        return self.op(f"arith.minsi {self.i64(x)}, {self.i64(y)} : i64")

    def max(self, x: str | int, y: str | int) -> str | int:
        if isinstance(x, int) and isinstance(y, int):
            return max(x, y)
        return self.op(f"arith.maxsi {self.i64(x)}, {self.i64(y)} : i64")

    def select(self, condition: str, x: str | int, y: str | int) -> str:
        return self.op(f"arith.select {condition}, {self.i64(x)}, {self.i64(y)} : i64")

    def quotient(self, x: str | int, y: int) -> str | int:
        return x // y if isinstance(x, int) else self.op(f"arith.divui {x}, {self.i64(y)} : i64")

    def compare(self, predicate: str, x: str | int, y: str | int) -> str:
        return self.op(f"arith.cmpi {predicate}, {self.i64(x)}, {self.i64(y)} : i64")

    # memory

    def offset(self, pointer: str, index: str | int, element: str) -> str:
        if index == 0:
            return pointer
        element = f"!llvm.struct<({part_of(element)}, {part_of(element)})>" if parts_of(element) > 1 else element
        if isinstance(index, int) and abs(index) < MOST_CONSTANT:
            return self.op(f"llvm.getelementptr {pointer}[{index}] : (!llvm.ptr) -> !llvm.ptr, {element}")
        index = self.i64(index)
        return self.op(f"llvm.getelementptr {pointer}[{index}] : (!llvm.ptr, i64) -> !llvm.ptr, {element}")

    def load(self, pointer: str, type: str, align: int) -> str:
        return self.op(f"llvm.load {pointer} {{alignment = {align} : i64}} : !llvm.ptr -> {type}")

    def extended(self, value: str, lanes: int, source: str, extend: str, target: str) -> str:
        """A vector of another element type, by the op `extend`; "": the types are equal."""
        return self.op(f"{extend} {value} : vector<{lanes}x{source}> to vector<{lanes}x{target}>") if extend else value

    def store(self, value: str, pointer: str, type: str, align: int) -> None:
        self.do(f"llvm.store {value}, {pointer} {{alignment = {align} : i64}} : {type}, !llvm.ptr")

    def fenced(self, value: str, type: str) -> str:
        """The same value, through which LLVM does not look: it compares each shuffle with all that its operands are made
        of, for half the compile time of a transpose. No instruction comes of it. For vectors of f32 and f64; others stay."""
        lanes, _, element = type[len("vector<") : -1].partition("x")
        if element not in FENCED:
            return value
        return self.op(f'llvm.call_intrinsic "llvm.arithmetic.fence.v{lanes}{element}"({value}) : ({type}) -> {type}')

    def mask(self, lanes: int, count: str | int) -> str:
        index = self.op(f"arith.index_cast {self.i64(count)} : i64 to index")
        return self.op(f"vector.create_mask {index} : vector<{lanes}xi1>")

    def load_vector(self, pointer: str, lanes: int, element: str, mask: str | None = None) -> str:
        """Elements that follow each other; those that a mask leaves out are zero. A mask of complex numbers has two bits for each. Small floats are
        loaded as words with a mask: where masks are branches, LLVM would convert each to f32 and back."""
        lanes, element = lanes * parts_of(element), part_of(element)
        size, kind = byte_size(element), f"vector<{lanes}x{element}>"
        if mask is None:
            return self.load(pointer, kind, size)
        if element in SMALL_FLOATS:
            words = self.load_vector(pointer, lanes, "i16", mask)
            return self.op(f"vector.bitcast {words} : vector<{lanes}xi16> to {kind}")
        return self.op(
            f"llvm.intr.masked.load {pointer}, {mask}, {self.zero(kind)} {{alignment = {size} : i32}} : "
            f"(!llvm.ptr, vector<{lanes}xi1>, {kind}) -> {kind}"
        )

    def store_vector(self, value: str, pointer: str, lanes: int, element: str, mask: str | None = None) -> None:
        lanes, element = lanes * parts_of(element), part_of(element)
        size, kind = byte_size(element), f"vector<{lanes}x{element}>"
        if mask is None:
            return self.store(value, pointer, kind, size)
        return self.do(
            f"llvm.intr.masked.store {value}, {pointer}, {mask} {{alignment = {size} : i32}} : "
            f"{kind}, vector<{lanes}xi1> into !llvm.ptr"
        )

    def gather(self, pointer: str, offsets: str, lanes: int, element: str, align: int, mask: str | None = None) -> str:
        """Elements at 32-bit offsets behind a pointer; those that a mask leaves out are zero."""
        kind = f"vector<{lanes}x{element}>"
        at = self.op(
            f"llvm.getelementptr {pointer}[{offsets}] : (!llvm.ptr, vector<{lanes}xi32>) -> vector<{lanes}x!llvm.ptr>, {element}"
        )
        mask = mask or self.constant("dense<true>", f"vector<{lanes}xi1>")
        return self.op(
            f"llvm.intr.masked.gather {at}, {mask}, {self.zero(kind)} {{alignment = {align} : i32}} : "
            f"(vector<{lanes}x!llvm.ptr>, vector<{lanes}xi1>, {kind}) -> {kind}"
        )

    def zero(self, type: str) -> str:
        element = type[type.rindex("x") + 1 : -1] if type.startswith("vector") else type
        number = "0.0" if "f" in element else "0"
        return self.constant(f"dense<{number}>" if type.startswith("vector") else number, type)

    def prefetch(self, pointer: str, write: bool = False, once: bool = False) -> None:
        """`once`: what is fetched shall not displace what is used again."""
        hint = 0 if once else 3
        self.do(
            f'"llvm.intr.prefetch"({pointer}) <{{rw = {int(write)} : i32, hint = {hint} : i32, cache = 1 : i32}}> : (!llvm.ptr) -> ()'
        )

    # control

    def thread_range(self, count: int, threads: int, unit: int = 1) -> tuple[str | int, str | int]:
        """First and last (exclusive) of so many iterations that are those of `%thread`, in whole units."""
        if threads == 1:
            return 0, count
        units = -(-count // unit)
        chunk = -(-units // threads) * unit
        start = self.min(self.mul("%thread", chunk), count)
        return start, self.min(self.add(start, chunk), count)

    @contextmanager
    def loop(self, start: str | int, end: str | int, step: int = 1) -> Iterator[str | int]:
        """A loop without carried values; one that runs once leaves no loop behind."""
        if isinstance(start, int) and isinstance(end, int) and 0 < end - start <= step:
            yield start
            return
        iv = self.fresh()
        self.do(f"scf.for {iv} = {self.i64(start)} to {self.i64(end)} step {self.i64(step)} : i64 {{")
        yield iv
        self.do("}")

    def fold(
        self,
        start: str | int,
        end: str | int,
        step: int,
        carried: Sequence[tuple[str, str]],
        body: Callable[[str | int, list[str]], list[str]],
    ) -> list[str]:
        """A loop with carried (value, type)s: body(iv, values) gives the next values; returns the last ones."""
        if isinstance(start, int) and isinstance(end, int) and 0 < end - start <= step:
            return body(start, [v for v, _ in carried])
        if not carried:
            with self.loop(start, end, step) as iv:
                return body(iv, [])
        iv, result = self.fresh(), self.fresh()
        names = [self.fresh() for _ in carried]
        types = ", ".join(t for _, t in carried)
        initial = ", ".join(f"{n} = {v}" for n, (v, _) in zip(names, carried))
        bounds = f"{self.i64(start)} to {self.i64(end)} step {self.i64(step)}"
        self.do(f"{result}:{len(carried)} = scf.for {iv} = {bounds} iter_args({initial}) -> ({types}) : i64 {{")
        out = body(iv, names)
        self.do(f"scf.yield {', '.join(out)} : {types} }}")
        return [f"{result}#{i}" for i in range(len(carried))]

    def nest(
        self,
        loops: Sequence[tuple[int, ...]],
        pointers: Sequence[tuple[str, str]],
        body: Body,
        carried: Sequence[tuple[str, str]] = (),
    ) -> list[str]:
        """Loops inside one another, outermost first: each a size, and how far it moves each of the pointers, which come with their element
        types. `body(pointers, values)` gives the next values; returns the last ones."""
        types, elements = [t for _, t in carried], [element for _, element in pointers]

        def loop(one: tuple[int, ...], at: list[str], values: list[str], inner: Body) -> list[str]:
            size, *steps = one

            def iteration(index: str | int, values: list[str]) -> list[str]:
                moved = [self.offset(p, self.mul(index, step), e) for p, step, e in zip(at, steps, elements)]
                return inner(moved, values)

            return self.fold(0, size, 1, list(zip(values, types)), iteration)

        return walk([partial(loop, one) for one in loops], body, [p for p, _ in pointers], [v for v, _ in carried])

    @contextmanager
    def when(self, condition: str) -> Iterator[None]:
        self.do(f"scf.if {condition} {{")
        yield
        self.do("}")

    def choose(
        self, condition: str, then: Callable[[], list[str]], otherwise: Callable[[], list[str]], type: str
    ) -> list[str]:
        """scf.if whose branches yield equally many values of one type. Where that is none, only the first one is written."""
        at = len(self._lines)
        values = then()
        if not values:
            self._lines.insert(at, f"scf.if {condition} {{")
            self.do("}")
            return []
        result = self.fresh()
        types = ", ".join([type] * len(values))
        self._lines.insert(at, f"{result}:{len(values)} = scf.if {condition} -> ({types}) {{")
        self.do(f"scf.yield {', '.join(values)} : {types} }} else {{")
        self.do(f"scf.yield {', '.join(otherwise())} : {types} }}")
        return [f"{result}#{i}" for i in range(len(values))]

    def call(self, callee: FunctionText | External, *arguments: str | int) -> None:
        types = ", ".join(t for _, t in callee.arguments)
        values = ", ".join(self.i64(a) for a in arguments)
        dialect = "func"
        if isinstance(callee, External):
            self.externals[callee.name] = callee
            dialect = "llvm"
        self.do(f'{dialect}.call @"{callee.name}"({values}) : ({types}) -> ()')

    def text(self, visibility: str = "private") -> str:
        signature = ", ".join(f"%{n}: {t}" for n, t in self.arguments)
        constants = [
            f"{name} = arith.constant {v}" + ("" if t == "i1" else f" : {t}")
            for (v, t), name in self._constants.items()
        ]
        attributes = f"attributes {{{', '.join(self.attributes)}}} " if self.attributes else ""
        body = "\n".join([*constants, *self._lines])
        return f'func.func {visibility} @"{self.name}"({signature}) {attributes}{{\n{body}\nreturn\n}}\n'


def functions_text(functions: Sequence[FunctionText]) -> str:
    """Functions, behind declarations of what they call that is elsewhere."""
    externals = {name: e for f in functions for name, e in f.externals.items()}
    declarations = [f'llvm.func @"{e.name}"({", ".join(t for _, t in e.arguments)})\n' for e in externals.values()]
    return "".join([*declarations, *(f.text() for f in functions)])


def parts_of(element: str) -> int:
    """How many numbers of a vector one element is: a complex one has a real and an imaginary part."""
    return 2 if element in PARTS else 1


def part_of(element: str) -> str:
    """Their type."""
    return PARTS.get(element, element)


PARTS = {"complex<f32>": "f32", "complex<f64>": "f64", "f64x2": "f64"}
"""The types of both parts, by those of elements that have two. f64x2: in names of routines, which have no brackets."""


def vector_type(lanes: int, element: str) -> str:
    """Of so many elements; those of complex numbers have their parts side by side, as memory has them."""
    return f"vector<{lanes * parts_of(element)}x{part_of(element)}>"


def byte_size(element: str) -> int:
    return {"bf16": 2}.get(element) or parts_of(element) * int(part_of(element).lstrip("fi")) // 8


X = TypeVar("X")


def transposed(rows: Sequence[X], shuffle: Callable[[X, X, list[int]], X]) -> list[X]:
    """n vectors of n words, n a power of two: log2(n) rounds of shuffles of two vectors, whose words `shuffle` is given the order of."""
    rows, n = list(rows), len(rows)
    half = n // 2
    while half:
        low = [n + word - half if word & half else word for word in range(n)]
        high = [n + word if word & half else word + half for word in range(n)]
        for i in (i for i in range(n) if not i & half):
            a, b = rows[i], rows[i + half]
            rows[i], rows[i + half] = shuffle(a, b, low), shuffle(a, b, high)
        half //= 2
    return rows


# The processor's dot-product instructions: a word of a few products at once, added to a sum of 32 bits.
#
# bf16: pairs, sums in f32 (the instruction rounds to nearest, takes subnormal numbers as zero and gives none). i8: fours, the
# first operand unsigned; sums in i32, exact modulo 2^32. Two signed operands: the first one's sign bit is flipped, which adds
# 128 to each element; 128 times the sums of the second one's columns are taken off again. i16: pairs, both operands signed,
# to which bytes of any sign are extended; sums in i32, exact modulo 2^32.


def dot_product(f: FunctionText, lanes: int, element: str, total: str, x: str, y: str) -> str:
    """total + the sum of products in each word. i8: x is unsigned, y signed; exact modulo 2^32."""
    dot = DOTS[element]
    words = f"vector<{dot.bits // 8 // byte_size(element)}x{element}>"
    kind = f"vector<{lanes}x{dot.sums}>"
    if dot.adds:
        return f.op(f'llvm.call_intrinsic "{dot.name}"({total}, {x}, {y}) : ({kind}, {words}, {words}) -> {kind}')
    products = f.op(f'llvm.call_intrinsic "{dot.name}"({x}, {y}) : ({words}, {words}) -> {kind}')
    return f.op(f"arith.addi {total}, {products} : {kind}")
