"""How an op is written down: one class with declared operands, attributes, regions, results, constraints and
type inference.

    class AddOp(Op, mnemonic="add"):
        '''Elementwise addition. https://openxla.org/stablehlo/spec#add'''
        lhs = Operand(AnyTensor)
        rhs = Operand(AnyTensor)
        result = Result(AnyTensor)

        def infer(self): return [self.lhs.type]

        @constraint("C1")
        def same_types(self):
            if self.lhs.type != self.rhs.type:
                return f"lhs and rhs must have one type, found {self.lhs.type} and {self.rhs.type}"

Declarations come in the order of the specification. The class is an `ir.OpView`: walks and patterns yield it, and
`op.lhs`, `op.dot_dimension_numbers` read the IR. Verifier, IRDL generation, reader, printer, builder and the status
page all read the same declarations (`AddOp.OPERANDS`, `.ATTRIBUTES`, ...)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeVar

from mlir import ir
from mlir._mlir_libs import _mlir as _cext

from hlo.dialect.attributes import AttributeKind
from hlo.dialect.choices import NOTHING, ChoiceMissing, Chosen
from hlo.dialect.types import AnyValue, TypeSet
from hlo.lazy_dataclasses import dataclass

_cext.globals.dialect_search_modules = ["hlo.dialect", *_cext.globals.dialect_search_modules]


class _Declared:
    """A declaration in an op class; knows its own name."""

    name: str = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name


class _ValueGroup(_Declared):
    """Operands or results under one name: exactly one value, or (variadic) any number of them.

    Several variadic groups of one op have equal sizes (reduce, scatter, ...), unless the op carries the segment sizes
    attribute."""

    sequence = ""
    segments = ""

    def __init__(self, type: TypeSet = AnyValue, *, variadic: bool = False, one_type: bool = False):
        self.type = type
        self.variadic = variadic
        self.one_type = one_type
        """All values of a variadic group have one type."""

    def group(self, op: Any) -> list[_ValueGroup]:
        raise NotImplementedError

    def bounds(self, op: Any) -> tuple[int, int]:
        """First and last (exclusive) position of this group among the op's values."""
        groups, count = self.group(op), len(getattr(op, self.sequence))
        position = groups.index(self)
        if count == len(groups) and self.segments not in op.attributes:
            return position, position + 1
        variadics = sum(g.variadic for g in groups)
        if variadics and self.segments in op.attributes:
            sizes = list(ir.DenseI32ArrayAttr(op.attributes[self.segments]))
        else:
            size = (count - len(groups) + variadics) // max(variadics, 1)
            sizes = [size if g.variadic else 1 for g in groups]
        start = sum(sizes[:position])
        return start, start + sizes[position]

    def __get__(self, op: Any, owner: type | None = None) -> Any:
        if op is None:
            return self
        values = getattr(op, self.sequence)
        position = op.POSITIONS.get(self)
        if position is not None:
            return values[position]
        start, end = self.bounds(op)
        return [values[i] for i in range(start, end)] if self.variadic else values[start]


class Operand(_ValueGroup):
    sequence = "operands"
    segments = "operandSegmentSizes"

    def group(self, op: Any) -> list[_ValueGroup]:
        return op.OPERANDS


class Result(_ValueGroup):
    sequence = "results"
    segments = "resultSegmentSizes"

    def group(self, op: Any) -> list[_ValueGroup]:
        return op.RESULTS


class Attr(_Declared):
    """A named attribute; reading gives the decoded Python value, or `default` when it is optional and absent.

    A callable default gets the op: `Attr(I64Array, optional=True, default=lambda op: (1,) * op.rank)`."""

    def __init__(self, kind: AttributeKind, *, optional: bool = False, default: Any = None, key: str = ""):
        self.kind = kind
        self.optional = optional
        self.default = default
        self.key = key
        """The name in the IR, where it differs from the accessor's (`name` is taken by OpView)."""

    def __set_name__(self, owner: type, name: str) -> None:
        super().__set_name__(owner, name)
        self.key = self.key or name

    def __get__(self, op: Any, owner: type | None = None) -> Any:
        if op is None:
            return self
        if self.key in op.attributes:
            return self.kind.decode(op.attributes[self.key])
        return self.default(op) if callable(self.default) else self.default


class Region(_Declared):
    """A region under a name; a variadic one stands for all remaining regions (case branches)."""

    def __init__(self, *, variadic: bool = False, arguments: int | None = None):
        self.variadic = variadic
        self.arguments = arguments
        """How many its block has, where all such ops have as many."""

    def __get__(self, op: Any, owner: type | None = None) -> Any:
        if op is None:
            return self
        position = op.REGIONS.index(self)
        if not self.variadic:
            return op.regions[position]
        return [r for r in list(op.regions)[position:] if len(r.blocks)]


@dataclass(frozen=True)
class Constraint:
    """A labelled clause of the specification: `check(op)` returns None, or what was found and what was allowed."""

    label: str
    check: Callable[[Any], str | None]
    quantized: bool = False
    """It speaks of quantized tensors only: nothing to check where there is none."""


Method = TypeVar("Method", bound=Callable[..., Any])


def constraint(*labels: str, quantized: bool = False) -> Callable[[Method], Method]:
    """Marks a method of an op class as the check of the named clauses (C1, C2, ...; none for what only upstream
    asks for); marks `infer` as their source of result types. `quantized`: clauses of quantized tensors only."""

    def mark(function: Method) -> Method:
        function.labels = labels  # type: ignore[attr-defined]
        function.quantized = quantized  # type: ignore[attr-defined]
        return function

    return mark


class Adaptor:
    """An op that does not exist yet: the same accessors over given operands, attributes and regions.

    Type inference runs on it before the op is created. `chosen`: what of the result types its writer gives;
    `neighbour`: an op in the same block or around it, through which the functions of its module are found."""

    def __init__(
        self,
        operands: Sequence[ir.Value],
        attributes: dict[str, ir.Attribute],
        regions: Sequence[Any] = (),
        chosen: Chosen = NOTHING,
        neighbour: Any = None,
    ):
        self.operands = list(operands)
        self.attributes = attributes
        self.regions = list(regions)
        self.results: list[ir.Value] = []
        self.chosen = chosen
        self.operation = neighbour


class Op(ir.OpView):
    """Base of all op classes of the project."""

    DIALECT: ClassVar[str] = "stablehlo"
    OPERATION_NAME: ClassVar[str] = ""
    MNEMONIC: ClassVar[str] = ""
    OPERANDS: ClassVar[list[Operand]] = []
    RESULTS: ClassVar[list[Result]] = []
    ATTRIBUTES: ClassVar[list[Attr]] = []
    REGIONS: ClassVar[list[Region]] = []
    CONSTRAINTS: ClassVar[list[Constraint]] = []
    POSITIONS: ClassVar[dict[Any, int]] = {}
    """Where operands and results stand, of ops whose number of operands (or of results) is fixed."""
    LABELS: ClassVar[dict[str, str]] = {}
    """Labels of inherited constraints by method name, where clauses are numbered differently."""
    INFER_LABEL: ClassVar[str] = ""
    """The clause that gives the result types, when `infer` is marked with @constraint."""
    ASSEMBLY: ClassVar[str] = ""
    """The assembly format of the op's short form (see `hlo.dialect.assembly`); "": it has its generic form only."""
    AdaptorClass: ClassVar[type[Adaptor]] = Adaptor
    IS_PURE: ClassVar[bool] = True
    """No side effect: an unused op may be erased, two equal ops merged."""
    IS_TERMINATOR: ClassVar[bool] = False
    OWN_ATTRIBUTES_FIRST: ClassVar[bool] = False
    """Whether the specification has the attributes that a class declares before those that it inherits."""
    ELEMENTWISE: ClassVar[bool] = False
    """Each element of the result is computed from those at the same indices of the operands, and from operands that are
    scalars: such ops need a row of the scalar tables alone to be lowered, partitioned and moved past reshapes."""
    MOVES: ClassVar[bool] = False
    """The elements of the results are those of operands as they are: they have one type, quantized ones with the same scales and
    zero points, and move as they are stored."""
    ONE_TYPE: ClassVar[tuple[tuple[str, ...], ...]] = ()
    """Operands and results that have one type where all sizes are known: what IRDL can say of them (clauses say the rest)."""
    OPEN_ATTRIBUTES: ClassVar[bool] = False
    """Any attribute may be on the op, declared or not."""
    CHOICE: ClassVar[tuple[str, ...]] = ()
    """What of its result types the specification leaves to the writer (see `choices`). Its clauses say what is legal."""

    def __init_subclass__(cls, *, mnemonic: str = "", **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if mnemonic:
            _declare(cls, mnemonic)

    def infer(self) -> list[ir.Type] | None:
        """Result types from operands, attributes, regions and what the writer chose; None when they are all chosen."""
        return None

    @classmethod
    def create(
        cls,
        *operands: ir.Value,
        results: Sequence[ir.Type] | None = None,
        regions: int | None = None,
        loc: ir.Location | None = None,
        ip: ir.InsertionPoint | None = None,
        chosen: Chosen = NOTHING,
        **attributes: Any,
    ) -> Any:
        """Creates the op at `ip`. Attributes are given as Python values (or ir.Attribute) under their declared names;
        result types are inferred unless given, with what is `chosen`. Regions are created empty, to be filled by the
        caller."""
        encoded = encode_attributes(cls, attributes)
        count = regions if regions is not None else len(cls.REGIONS)
        if results is None:
            results = _inferred(cls, operands, encoded, chosen)
        op = ir.Operation.create(
            cls.OPERATION_NAME,
            results=list(results),
            operands=list(operands),
            attributes=encoded,
            regions=2 if count == 1 else count,  # one-region ops would count as symbol tables
            loc=loc,
            ip=ip,
        )
        return op.opview


def _inferred(cls: type[Op], operands: Any, attributes: dict[str, ir.Attribute], chosen: Chosen) -> list[ir.Type]:
    try:
        results = cls.infer(cls.AdaptorClass(operands, attributes, (), chosen))  # type: ignore[arg-type]
    except ChoiceMissing as missing:
        raise TypeError(f"{cls.OPERATION_NAME}: the {missing} of the result must be given") from None
    if results is None:
        raise TypeError(f"{cls.OPERATION_NAME}: result types cannot be inferred, give results=")
    return results


def encode_attributes(cls: type[Op], values: dict[str, Any]) -> dict[str, ir.Attribute]:
    """Python values to attributes by the op's declarations; None leaves an optional one out."""
    declared = {a.name: a for a in cls.ATTRIBUTES}
    encoded = {}
    for name, value in values.items():
        if value is None:
            continue
        if isinstance(value, ir.Attribute):
            encoded[name] = value
        elif name in declared:
            encoded[declared[name].key] = declared[name].kind.encode(value)
        else:
            raise TypeError(f"{cls.OPERATION_NAME} has no attribute {name!r}; it has {sorted(declared)}")
    return encoded


OPS: dict[str, type[Op]] = {}
"""Every op class by full name ("stablehlo.add")."""

_DIALECTS: dict[str, type[ir.Dialect]] = {}


def dialect_class(namespace: str) -> type[ir.Dialect]:
    """The Python class of a dialect, made and registered at first use."""
    if namespace not in _DIALECTS:
        cls = type(f"{namespace.capitalize()}Dialect", (ir.Dialect,), {"DIALECT_NAMESPACE": namespace})
        _DIALECTS[namespace] = cls
        _cext.register_dialect(cls)
    return _DIALECTS[namespace]


_TAKEN = {"operands", "results", "attributes", "regions", "name", "location", "operation", "context", "parent"}
"""Members of ir.OpView that the accessors and MLIR itself rely on."""


def _declare(cls: type[Op], mnemonic: str) -> None:
    """Collects the declarations of an op class (its own and inherited ones) and registers it."""
    declared: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        if issubclass(base, Op):
            declared.update((k, v) for k, v in vars(base).items() if not k.startswith("__"))
    members = list(declared.values())
    taken = [m.name for m in members if isinstance(m, _Declared) and m.name in _TAKEN]
    if taken:
        raise TypeError(f"{cls.__name__}: {', '.join(taken)} of ir.OpView cannot be declared; choose other names")
    cls.MNEMONIC = mnemonic
    cls.OPERATION_NAME = f"{cls.DIALECT}.{mnemonic}"
    cls._ODS_REGIONS = (0, False)
    cls.OPERANDS = [m for m in members if isinstance(m, Operand)]
    cls.RESULTS = [m for m in members if isinstance(m, Result)]
    ordered = sorted(declared, key=lambda k: k not in vars(cls)) if cls.OWN_ATTRIBUTES_FIRST else declared
    cls.ATTRIBUTES = [declared[k] for k in ordered if isinstance(declared[k], Attr)]
    cls.REGIONS = [m for m in members if isinstance(m, Region)]
    fixed = [g for g in (cls.OPERANDS, cls.RESULTS) if not any(v.variadic for v in g)]
    cls.POSITIONS = {value: position for group in fixed for position, value in enumerate(group)}
    cls.CONSTRAINTS = [
        Constraint(cls.LABELS.get(m.__name__) or ", ".join(m.labels), m, m.quantized)
        for m in members
        if hasattr(m, "labels") and m.__name__ != "infer"
    ]
    cls.INFER_LABEL = ", ".join(getattr(cls.infer, "labels", ()))
    own = {k: v for k, v in declared.items() if k not in ("create", "OPERATION_NAME")}
    own.update(OPERANDS=cls.OPERANDS, RESULTS=cls.RESULTS, REGIONS=cls.REGIONS, POSITIONS=cls.POSITIONS)
    cls.AdaptorClass = type(f"{cls.__name__}Adaptor", (Adaptor,), own)
    OPS[cls.OPERATION_NAME] = cls
    _cext.register_operation(dialect_class(cls.DIALECT))(cls)
