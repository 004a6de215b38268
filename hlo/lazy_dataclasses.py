"""`dataclass` for the compiler's own classes: that of the standard library, except that defining a class takes a twentieth of the time.

The standard one compiles six methods a class, half a millisecond, when the class is defined, and a first compilation imports a hundred
of them. Here `__init__` is compiled at the first instance, and the other methods are closures over the names of the fields. `fields`,
`replace` and the like of the standard library work as ever; only `inspect.signature` sees the arguments later, after the first instance."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

_DEFINED: WeakSet[type] = WeakSet()
"""Classes that were defined here. Where a base is another dataclass, the standard library checks that both are frozen, or neither."""

_MADE_BY_FACTORY = object()

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls=None, /, *, frozen=False, eq=True, **others):
        """With parameters besides these, the standard library's."""
        if cls is None:
            return lambda cls: dataclass(cls, frozen=frozen, eq=eq, **others)
        if others:
            return dataclasses.dataclass(cls, frozen=frozen, eq=eq, **others)
        return _define(cls, frozen, eq)


def _define(cls: type, frozen: bool, eq: bool) -> type:
    own_hash = vars(cls).get("__hash__") is not None
    if cls.__doc__ is None:  # the standard library would look for a signature
        cls.__doc__ = f"{cls.__name__}({', '.join(cls.__annotations__)})"
    of_library = any(dataclasses.is_dataclass(base) and base not in _DEFINED for base in cls.__mro__[1:])
    dataclasses.dataclass(init=False, repr=False, eq=False, frozen=frozen and of_library)(cls)
    _DEFINED.add(cls)
    methods: dict[str, Any] = {"__init__": _first_initializer(cls, frozen), "__repr__": _repr}
    if eq:
        methods["__eq__"] = _equality(cls)
    if frozen and not of_library:
        methods |= _refusals(cls)
    for name, method in methods.items():
        if name not in vars(cls):
            setattr(cls, name, method)
    if eq and not own_hash:
        setattr(cls, "__hash__", _hash(cls) if frozen else None)  # noqa: B010
    return cls


def _first_initializer(cls: Any, frozen: bool) -> Callable[..., None]:
    """`__init__` until it is called."""

    def __init__(self: Any, /, *arguments: Any, **named: Any) -> None:
        cls.__init__ = _initializer(cls, frozen)
        cls.__init__(self, *arguments, **named)

    return __init__


def _initializer(cls: Any, frozen: bool) -> Callable[..., None]:
    names: dict[str, Any] = {"_set": object.__setattr__, "_made": _MADE_BY_FACTORY}
    parameters: dict[bool, list[str]] = {False: [], True: []}
    body: list[str] = []
    for field in dataclasses.fields(cls):
        name, default, factory = field.name, f"_default_{field.name}", f"_factory_{field.name}"
        names |= {default: field.default, factory: field.default_factory}
        made = field.default_factory is not dataclasses.MISSING
        has_default = made or field.default is not dataclasses.MISSING
        if field.init:
            parameters[field.kw_only is True].append(f"{name}={'_made' if made else default}" if has_default else name)
            value = f"{factory}() if {name} is _made else {name}" if made else name
        elif made:
            value = f"{factory}()"
        else:
            continue
        body.append(f"_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    given = ["self", *parameters[False], *(["*", *parameters[True]] if parameters[True] else [])]
    exec(f"def __init__({', '.join(given)}):\n  " + "\n  ".join(body or ["pass"]), names)
    method: Callable[..., None] = names["__init__"]
    method.__qualname__ = f"{cls.__qualname__}.__init__"
    return method


@recursive_repr()
def _repr(self: Any) -> str:
    shown = (f"{f.name}={getattr(self, f.name)!r}" for f in dataclasses.fields(self) if f.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _equality(cls: Any) -> Callable[[Any, object], bool]:
    values = _values([f.name for f in dataclasses.fields(cls) if f.compare])

    def __eq__(self: Any, other: object) -> bool:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    return __eq__


def _hash(cls: Any) -> Callable[[Any], int]:
    values = _values([f.name for f in dataclasses.fields(cls) if (f.compare if f.hash is None else f.hash)])

    def __hash__(self: Any) -> int:
        return hash(values(self))

    return __hash__


def _values(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    """The tuple of an instance's fields."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda instance: tuple(getattr(instance, name) for name in names)


def _refusals(cls: Any) -> dict[str, Callable[..., None]]:
    """A frozen class's; instances of classes derived from it may have attributes of their own."""
    names = {f.name for f in dataclasses.fields(cls)}

    def __setattr__(self: Any, name: str, value: Any) -> None:
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def __delattr__(self: Any, name: str) -> None:
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    return {"__setattr__": __setattr__, "__delattr__": __delattr__}
