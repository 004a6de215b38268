"""The plan of a stage: which dimension runs in lanes, how many vectors a step takes, which dimension is stepped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field, replace
from math import prod

from mlir import ir

from hlo.lazy_dataclasses import dataclass
from hlo.lowering.kernels.fusable import body_cost
from hlo.lowering.linalg.iteration import Dim
from hlo.lowering.linalg.structured import reads_index
from hlo.lowering.memory.storage import element_bytes
from hlo.lowering.target import Target
from hlo.lowering.vector.region.accesses import Access, Accesses, LookUp, loops_in
from hlo.lowering.vector.region.combine import Combiner
from hlo.lowering.vector.region.complex_lanes import parts_of
from hlo.lowering.vector.region.graph import Stage
from hlo.lowering.vector.region.interleaving import is_run_profitable, run_of, short_loops, stored_together
from hlo.lowering.vector.region.memory import MOST_STRIDE, shuffles
from hlo.lowering.vector.region.padding import begins_anywhere, dilated_loops, periods
from hlo.lowering.vector.region.unrolling import columns_a_step, even_steps, vectors_a_step

GATHER, TRANSPOSED, PICKED, SHUFFLE, SCALAR = 6.0, 1.5, 2.0, 0.3, 0.1
"""Cost of an access relative to a contiguous vector."""
NARROW_GATHER, SHUFFLE_OF_BYTES = 0.75, 0.9
"""Cost of a gather of elements of one or two bytes, for each lane: no instruction gathers them; and of a shuffle of
bytes, which loads its indices."""
SCATTER = 2.5
"""Cost of a strided store, for each lane: an instruction that scatters stores them one by one too."""
MOST_IN_SQUARE = 2048
"""Instructions that a square which is transposed in registers may take: where more is computed, reads that jump cost
little compared with it, and the code of a square would take longer to compile than it saves."""
MOST_TAPS, MOST_PHASES = 64, 64
"""Elements of a window over a dilated array up to which each is written out, and phases up to which each is code of its own."""
MOST_SHORT = 128
"""Elements of a row that is reduced up to which lanes may run along the rows."""
SUM_COST, LEAST_MERGE_COST, MERGE_COST = 30, 16, 60
"""What merging the lanes of a row takes, in instructions of a vector: of a sum, and of other reductions. What follows waits for it,
but where that is little, the next rows are begun meanwhile."""
ADDED_COST = 5
"""What merging the lanes of a sum takes where nothing waits for it."""
SQUARE_COST, SWEEP_COST = 5, 4
"""What the elements of a vector take to be transposed, and to be read once more."""
SHORT = 16
"""A reduction dimension up to this size can be unrolled completely; lanes and steps of a square that is transposed."""
MOST_ITERATIONS, MOST_TERMS = 64, 4
"""Iterations up to which a reduction of so few elements is straight-line code of scalars: a product of matrices of 3x3."""
MOST_INSTRUCTIONS = 256
"""Of that code: with more, vectors are faster where a loop is long enough for them."""
LOOK_UP_WORK = 16
"""Of reading at a computed index, in the unit of `THREAD_COST`."""
LINE_BYTES = 64
"""Of a cache line."""
THREAD_COST = 1 << 18
"""Work (bytes moved, plus instructions weighted with the bytes they take the time of) from which a part of its own is profitable."""


@dataclass
class Plan:
    """`lanes` None: scalars. `stepped`: the dimension of the steps of a tile (the lanes' own, or another one)."""

    lanes: Dim | None
    width: int
    steps: int
    stepped: Dim | None
    parts: int = 1
    """How many parts the outermost parallel loop may be cut in for threads."""
    phases: dict[Dim, int] = field(default_factory=dict)
    """Loops that are cut in phases, each code of its own: phase r of p has the iterations r, r + p, r + 2p, ..."""
    peeled: frozenset[Dim] = frozenset()
    """Loops whose first and last iterations, in which padding is read, are code of their own."""
    interleaved: tuple[Dim, ...] = ()
    """The loops inside of the lanes', if they are written out: the vectors of their iterations are stored as one run."""
    all_unrolled: bool = False
    """No loops are left: scalars, one iteration after the other."""


def make_plan(stage: Stage, accesses: Accesses, combiners: list[Combiner], target: Target, in_place: bool) -> Plan:
    """`in_place`: results may be where operands are, so that nothing is computed twice."""
    plan = _in_lanes(stage, accesses, combiners, target, in_place)
    if stage.levels:
        return plan
    tested = {dim for bound in accesses.bounds if not bound.wraps for dim, _ in bound.position.terms}
    peeled = frozenset(d for d in peelable(stage, accesses) if d in tested or d is plan.lanes)
    return replace(plan, phases=phases_of(stage, accesses), peeled=peeled)


def phases_of(stage: Stage, accesses: Accesses) -> dict[Dim, int]:
    """The phases within which reads of dilated arrays hit an element always or never: none where that takes too much code."""
    found = periods(accesses.bounds, stage.reduction)
    dilated = dilated_loops(accesses.bounds)
    taps = prod(d.size for d in dilated if d in stage.reduction)
    fits = taps <= MOST_TAPS and prod(found.values()) <= MOST_PHASES and all(n <= d.size for d, n in found.items())
    return found if fits and not stage.levels else {}


def peelable(stage: Stage, accesses: Accesses) -> list[Dim]:
    """The parallel loops on which it depends whether padding is read."""
    bounded = {dim for bound in accesses.bounds for dim, _ in bound.position.terms}
    return [d for d in stage.parallel if d in bounded]


def _in_lanes(stage: Stage, accesses: Accesses, combiners: list[Combiner], target: Target, in_place: bool) -> Plan:
    unrolled = Plan(None, 0, 1, None, all_unrolled=True)
    is_small = is_written_out(stage, accesses) and is_short(
        [d.size for d in stage.dims], [d.size for d in stage.reduction]
    )
    if is_small and prod(d.size for d in stage.dims) * accesses.cost <= MOST_INSTRUCTIONS:
        return unrolled
    parts = _parts(stage, accesses, target)
    if (rows := rows_in_lanes(stage, accesses, target)) is not None and _are_profitable_in_lanes(
        rows, stage, accesses, combiners, target
    ):
        (along,) = stage.reduction
        width = widest_vector(accesses, target)
        steps = min(vectors_a_step(stage, accesses, width, target), along.size)
        return Plan(rows, width, steps, along, parts)
    if (run := _run(stage, accesses, parts, target)) is not None:
        return run
    lanes = _cheapest_loop(stage, accesses, combiners, target)
    if lanes is None:
        return unrolled if is_small else Plan(None, 0, 1, None, parts)
    may_repeat = not in_place and lanes not in stage.reduction and begins_anywhere(lanes, accesses.bounds)
    return _along(lanes, stage, accesses, combiners, parts, target, may_repeat)


def _run(stage: Stage, accesses: Accesses, parts: int, target: Target) -> Plan | None:
    """The plan of a reduction whose lanes go through the last two loops of its results as through one, where that is profitable."""
    width = widest_vector(accesses, target)
    outer = stage.parallel[-2] if len(stage.parallel) > 1 else None
    if outer is None or not (inner := run_of(stage, accesses, outer, width, target)):
        return None
    if not is_run_profitable(stage, accesses.cost, outer, width):
        return None
    return Plan(outer, width, 1, outer, parts, interleaved=tuple(inner))


def _cheapest_loop(stage: Stage, accesses: Accesses, combiners: list[Combiner], target: Target) -> Dim | None:
    """The loop along which vectors cost least; None where there are to be none."""
    widest = widest_vector(accesses, target)
    smallest = 2 if stage.levels or (target.masks and not stage.generics) else 4
    candidates = [
        d for d in stage.dims if d.size >= smallest and may_run_in_lanes(d, stage, accesses, combiners, target)
    ]
    if stage.levels:
        candidates = [d for d in candidates if d in stage.reduction]
    if accesses.scalar_only or widest < 2 or not candidates or prod(d.size for d in stage.dims) == 0:
        return None
    scored = [
        (_cost(d, stage, accesses, combiners, widest, target), -position, d) for position, d in enumerate(candidates)
    ]
    return min(scored, key=lambda s: s[:2])[2]


def _along(
    lanes: Dim,
    stage: Stage,
    accesses: Accesses,
    combiners: list[Combiner],
    parts: int,
    target: Target,
    may_repeat: bool,
) -> Plan:
    """The plan with vectors along a loop: the tile of a step."""
    width = _width(lanes.size, widest_vector(accesses, target), target)
    vectors = -(-lanes.size // width)
    steps = vectors_a_step(stage, accesses, width, target)
    together = stored_together(lanes, stage, target)
    if together > 1:
        inner = tuple(short_loops(stage, lanes))
        return Plan(lanes, width, max(1, min(steps // together, vectors)), lanes, parts, interleaved=inner)
    stepped = None if stage.levels else stepped_loop(lanes, stage, accesses, target)
    if stepped is not None and not stage.generics:
        least, most = squares_of(accesses, target)
        square = min(width, most, power_of_two_above(stepped.size))
        if square >= least and square * accesses.cost <= MOST_IN_SQUARE:
            return Plan(lanes, square, square, stepped, parts)
        if square >= least:
            return Plan(lanes, width, max(1, min(2, vectors)), lanes, parts)
    if stepped is not None and stage.reduction == [stepped] and lanes not in stage.reduction:
        if stepped.size <= SHORT:
            return Plan(lanes, width, stepped.size, stepped, parts)
        return Plan(lanes, min(width, SHORT), min(width, SHORT), stepped, parts)
    if stage.reduction and lanes not in stage.reduction:
        states = sum(parts_of(r.type.element_type)[0] for c in combiners for r in c.op.results)
        steps = max(steps, columns_a_step(lanes, width, states, stage, accesses, target))
    steps = even_steps(min(steps, vectors), lanes.size, width, accesses.cost, may_repeat)
    return Plan(lanes, width, steps, lanes, parts)


def squares_of(accesses: Accesses, target: Target) -> tuple[int, int]:
    """The fewest and the most lanes of a square that is transposed in registers. Of complex f64, two fill a register of
    256 bits: four rows of two registers are a square as well, of which each cache line that is read gives all four
    elements, and two of one (copies) half of them. (AMD EPYC, Zen 3, one thread: adjoints of order 48 to 512 take 0.37
    to 0.55 of the time without squares, transposes 0.56 to 0.9.)"""
    lanes = _lanes(accesses.elements, target)
    return (2, 4) if lanes == 2 and target.vector_bits == 256 else (4, min(16, lanes))


def rows_in_lanes(stage: Stage, accesses: Accesses, target: Target) -> Dim | None:
    """The loop over the rows of a chain, if these are short, one behind the other, and lanes may run along them."""
    if not stage.levels or len(stage.reduction) != 1 or accesses.bounds or accesses.scalar_only or not target.masks:
        return None
    (along,), rows = stage.reduction, stage.parallel[-1:]
    are_real = not any(isinstance(e, ir.ComplexType) for e in accesses.elements)
    if not rows or not are_real or along.size > MOST_SHORT or widest_vector(accesses, target) < 4:
        return None
    whole = [a for a in accesses.accesses if a.position.coefficient(along)]
    steps = {a.position.coefficient(rows[0]) for a in whole} - {0}
    return rows[0] if steps == {along.size} and all(a.position.coefficient(along) == 1 for a in whole) else None


def _are_profitable_in_lanes(
    rows: Dim, stage: Stage, accesses: Accesses, combiners: list[Combiner], target: Target
) -> bool:
    """Whether lanes along the rows are faster than those along a row, which have to be merged."""
    (along,), width = stage.reduction, widest_vector(accesses, target)
    if rows.size < width:
        return False
    rank = max(loops_in(op) for op in accesses.bodies)
    cost = sum(body_cost(op) for op in accesses.bodies if loops_in(op) == rank)
    whole = sum(bool(a.position.coefficient(along) and a.position.coefficient(rows)) for a in accesses.accesses)
    merge = min(MERGE_COST, LEAST_MERGE_COST + 2 * cost)
    by_row = -(-along.size // width) * cost + sum(SUM_COST if c.is_sum else merge for c in combiners)
    in_lanes = along.size / width * (cost + whole * SQUARE_COST + len(stage.levels) * SWEEP_COST)
    return in_lanes * (-(-rows.size // width) * width / rows.size) < by_row


def is_short(loops: Sequence[int], reduced: Sequence[int]) -> bool:
    """Whether a reduction, by the sizes of its loops, is so small that code without loops and vectors is best."""
    return 0 < prod(loops) <= MOST_ITERATIONS and prod(reduced) <= MOST_TERMS


def is_written_out(stage: Stage, accesses: Accesses) -> bool:
    """Whether code without loops can compute a stage: one that reduces rows, and reads no padding."""
    return bool(stage.generics) and not stage.levels and not accesses.bounds


def _parts(stage: Stage, accesses: Accesses, target: Target) -> int:
    if stage.levels and not stage.parallel:
        return 1  # one row: its buffers and reductions are those of one function
    work = prod(d.size for d in stage.dims) * accesses.cost
    work += sum(_bytes_accessed(access, stage.dims) for access in accesses.accesses)
    work += sum(_look_up_work(read, stage) for read in accesses.look_ups)
    return int(min(4 * target.threads, work // THREAD_COST)) if target.threads > 1 else 1


def _bytes_accessed(access: Access, dims: list[Dim]) -> int:
    """Of a whole nest: an element that several iterations access counts once, because it is in the cache then; one whose neighbours are not
    accessed as the cache line that it takes."""
    strides = [(d.size, stride) for d in dims if (stride := abs(access.position.coefficient(d)))]
    extent = 1 + sum((size - 1) * stride for size, stride in strides)
    bytes_of_one = element_bytes(access.element)
    apart = min((stride for size, stride in strides if size > 1), default=1)
    each = min(apart * bytes_of_one, max(LINE_BYTES, bytes_of_one))
    return min(prod(size for size, _ in strides) * each, extent * bytes_of_one)


def _look_up_work(read: LookUp, stage: Stage) -> int:
    """Of a whole nest: a read for each computed index, and what is read from there on where elements along a loop are consecutive."""
    computed = prod(d.size for d in stage.dims if d in read.others)
    consecutive = prod(d.size for d in stage.dims) * element_bytes(read.element) if read.along.terms else 0
    return LOOK_UP_WORK * computed + consecutive


def widest_vector(accesses: Accesses, target: Target) -> int:
    """Lanes of the widest type that takes part; small floats are computed as f32, complex numbers as their parts."""
    return _lanes((_computed(e, accesses) for e in accesses.elements), target)


def _computed(element: ir.Type, accesses: Accesses) -> ir.Type:
    """What an element is in registers: a complex number's part where an op separates its parts."""
    _, part = parts_of(element)
    return part if part in accesses.elements else element


def _lanes(elements: Iterable[ir.Type], target: Target) -> int:
    widest = 8
    for element in elements:
        bits = 8 * element_bytes(element) if not isinstance(element, ir.IndexType) else 32
        widest = max(widest, 32 if isinstance(element, ir.FloatType) and bits < 32 else bits)
    return target.lanes(widest)


def may_run_in_lanes(dim: Dim, stage: Stage, accesses: Accesses, combiners: list[Combiner], target: Target) -> bool:
    """Whether vectors along a loop compute what scalars do."""
    if stage.levels and dim not in stage.reduction:
        return dim is rows_in_lanes(stage, accesses, target)
    if dim in dilated_loops(accesses.bounds) and (dim in stage.reduction or not phases_of(stage, accesses)):
        return False
    if dim not in stage.reduction:
        return True
    return all(c.splittable and (not c.in_order or stage.reduction == [dim]) for c in combiners)


def _cost(
    lanes: Dim, stage: Stage, accesses: Accesses, combiners: list[Combiner], widest: int, target: Target
) -> float:
    """Of one element when `lanes` runs in lanes."""
    together = stored_together(lanes, stage, target)
    inner = short_loops(stage, lanes) if together > 1 else []
    stepped = _transposing(lanes, stage, accesses, target) if together == 1 else None
    width = _width(lanes.size, widest, target)
    total = 0.5 + accesses.cost * 0.25
    waits = prod(d.size for d in stage.reduction) > SHORT and any(c.waits for c in combiners)
    is_contiguous = all(abs(access.position.coefficient(lanes)) <= 1 for access in accesses.accesses)
    for access in accesses.accesses:
        stride = access.position.coefficient(lanes)
        scatters = together == 1 and stride not in (0, 1, -1)
        is_once = access.is_store and (scatters or (stride and is_contiguous and not waits))
        loops = [*inner, *(stage.reduction if is_once else ())]
        shared = prod(d.size for d in loops if not access.position.coefficient(d))
        total += _access_cost(access, lanes, stepped, together, width) / shared
    total += sum(_look_up_cost(read, lanes) for read in accesses.look_ups)
    used = lanes.size / widest / _vectors(lanes.size, widest, target)
    if lanes in stage.reduction:
        merge = sum(ADDED_COST if c.is_sum else LEAST_MERGE_COST + accesses.cost / 2 for c in combiners)
        total += 0.25 * merge * width / prod(d.size for d in stage.reduction)
    return total / used


def _width(size: int, widest: int, target: Target) -> int:
    """Lanes of vectors along a loop. Without masks what a vector does not fill are scalars: of loops shorter than two
    of the widest vectors, vectors as narrow as leave the fewest of both."""
    if target.masks or size >= 2 * widest:
        return min(widest, power_of_two_above(size))
    narrower = [1 << n for n in range(min(widest, size).bit_length())]
    return min(reversed(narrower), key=lambda width: size // width + size % width)


def _vectors(size: int, widest: int, target: Target) -> int:
    """How many vectors a loop takes, with the scalars of one that is shorter than the widest."""
    if size < widest and not target.masks:
        width = _width(size, widest, target)
        return size // width + size % width
    return -(-size // min(widest, power_of_two_above(size)))


def _access_cost(access: Access, lanes: Dim, stepped: Dim | None, together: int, width: int) -> float:
    """Of a vector, relative to a contiguous one. `together`: vectors that are interleaved for their stores."""
    stride, size = abs(access.position.coefficient(lanes)), element_bytes(access.element)
    if stride == 0:
        return SCALAR
    if stride == 1:
        return 1.0
    shuffle = SHUFFLE_OF_BYTES if size == 1 else SHUFFLE
    if access.is_store:
        return SCATTER * width if together == 1 else 1.0 + shuffle * shuffles(together)
    if stepped is not None and access.position.coefficient(stepped) == 1:
        return TRANSPOSED * (-(-stepped.size // width) * width / stepped.size if stepped.size > SHORT else 1.0)
    if stride <= MOST_STRIDE:
        return max(PICKED, shuffle * 2 * stride)
    return GATHER if size >= 4 else max(GATHER, NARROW_GATHER * width)


def _look_up_cost(read: LookUp, lanes: Dim) -> float:
    if lanes in read.others:
        return GATHER
    stride = read.along.coefficient(lanes)
    return SCALAR if stride == 0 else 1.0 if stride == 1 else GATHER


def _transposing(lanes: Dim, stage: Stage, accesses: Accesses, target: Target) -> Dim | None:
    """The dimension along which a read is contiguous that is strided along the lanes."""
    for access in accesses.accesses:
        if access.is_store or access.position.coefficient(lanes) in (0, 1, -1):
            continue
        for dim in stage.dims:
            if dim is not lanes and access.position.coefficient(dim) == 1 and _may_step(dim, stage, accesses, target):
                return dim
    return None


def _may_step(dim: Dim, stage: Stage, accesses: Accesses, target: Target) -> bool:
    """Map stages step any dimension; reductions a short one that is their only one (none where all that is reduced has
    size 1), whole where there are no masks for what is left of it."""
    if any(bound.position.coefficient(dim) for bound in accesses.bounds):
        return False
    if not stage.generics:
        return dim.size >= 4
    return stage.reduction == [dim] and dim.size <= (MOST_SHORT if target.masks else SHORT)


def stepped_loop(lanes: Dim, stage: Stage, accesses: Accesses, target: Target) -> Dim | None:
    """The loop other than the lanes' that a tile may go along."""
    stepped = _transposing(lanes, stage, accesses, target)
    return None if stepped is not None and any(map(reads_index, stage.generics)) else stepped


def power_of_two_above(n: int) -> int:
    """The smallest one that is not less."""
    return 1 << max(0, n - 1).bit_length()
