"""Classes of hlo.lazy_dataclasses behave as those of the standard library do, and are defined in less time."""

import copy
import dataclasses
import pickle
import subprocess
import sys
from typing import ClassVar

import pytest

from hlo import lazy_dataclasses


@lazy_dataclasses.dataclass(frozen=True)
class Kept:
    number: int
    name: str = "one"


@pytest.fixture(params=[dataclasses.dataclass, lazy_dataclasses.dataclass], ids=["standard", "lazy"])
def dataclass(request):
    return request.param


def _point(dataclass, **parameters):
    class Point:
        x: int
        y: int = 2
        limit: ClassVar[int] = 7
        parts: list = dataclasses.field(default_factory=list, repr=False)
        note: str = dataclasses.field(default="none", compare=False, kw_only=True)
        made: int = dataclasses.field(default=5, init=False)

    return dataclass(**parameters)(Point)


def test_initialises_fields(dataclass):
    point = _point(dataclass)
    one, two = point(1, note="here"), point(x=3, y=4, parts=[5])
    assert (one.x, one.y, one.parts, one.note, one.made) == (1, 2, [], "here", 5)
    assert (two.x, two.y, two.parts) == (3, 4, [5]) and one.parts is not point(1).parts
    assert [f.name for f in dataclasses.fields(one)] == ["x", "y", "parts", "note", "made"]
    assert point.__match_args__ == ("x", "y", "parts") and dataclasses.is_dataclass(point)
    for arguments, named in (((), {}), ((1, 2, [], "x"), {}), ((1,), {"z": 1}), ((1,), {"x": 1})):
        with pytest.raises(TypeError, match=r"Point.__init__\(\)"):
            point(*arguments, **named)


def test_compares_and_shows(dataclass):
    point = _point(dataclass)
    assert point(1) == point(1, note="another") != point(2)
    assert point(1).__eq__(1) is NotImplemented
    assert repr(point(1)).endswith("Point(x=1, y=2, note='none', made=5)")
    assert point.__hash__ is None
    assert dataclasses.replace(point(1), y=9) == point(1, 9)
    assert dataclasses.asdict(point(1)) == {"x": 1, "y": 2, "parts": [], "note": "none", "made": 5}


def test_frozen_instances_do_not_change(dataclass):
    @dataclass(frozen=True)
    class One:
        a: int

    assert hash(One(1)) == hash(One(1)) == hash((1,)) and {One(1), One(1)} == {One(1)}
    for change in (lambda o: setattr(o, "a", 2), lambda o: setattr(o, "b", 2), lambda o: delattr(o, "a")):
        with pytest.raises(dataclasses.FrozenInstanceError):
            change(One(1))

    class Wider(One):
        pass

    wider = Wider(1)
    wider.b = 2
    del wider.b
    with pytest.raises(dataclasses.FrozenInstanceError):
        wider.a = 2
    assert wider != One(1)


def test_what_a_class_defines_itself_stays(dataclass):
    @dataclass(frozen=True)
    class Own:
        a: int = 0
        twice: int = dataclasses.field(init=False)

        def __post_init__(self):
            object.__setattr__(self, "twice", 2 * self.a)

        def __hash__(self):
            return 17

        def __repr__(self):
            return "own"

    @dataclass
    class Equal:
        a: int

        def __eq__(self, other):
            return True

    assert (Own(3).twice, hash(Own()), repr(Own())) == (6, 17, "own")
    assert Equal(1) == Equal(2) and Equal.__hash__ is None


def test_without_equality_instances_are_themselves(dataclass):
    @dataclass(frozen=True, eq=False)
    class One:
        a: int

    one = One(1)
    assert one != One(1) and {one: 1}[one] == 1


def test_inherits_fields(dataclass):
    @dataclass(frozen=True)
    class Base:
        a: int
        b: int = 2

    @dataclass(frozen=True)
    class Derived(Base):
        b: int = 3
        c: int = 4

    assert (Derived(1).b, Derived(1, 2, 5).c) == (3, 5)
    assert Base(1) != Derived(1) and repr(Derived(1)).endswith("Derived(a=1, b=3, c=4)")


def test_may_derive_from_the_standard_library():
    @dataclasses.dataclass(frozen=True)
    class Base:
        a: int = 1

    @lazy_dataclasses.dataclass(frozen=True)
    class Derived(Base):
        b: int = 2

    @dataclasses.dataclass(frozen=True)
    class Last(Derived):
        c: int = 3

    assert (Derived(5).a, hash(Derived()), Last().b) == (5, hash((1, 2)), 2)
    with pytest.raises(dataclasses.FrozenInstanceError):
        Derived().b = 3


def test_copies():
    one = Kept(1)
    assert pickle.loads(pickle.dumps(one)) == copy.deepcopy(one) == copy.copy(one) == one


def test_other_parameters_are_the_standard_librarys():
    ordered = _point(lazy_dataclasses.dataclass, order=True)
    assert ordered(1) < ordered(2)


COUNTED = """
import builtins, dataclasses, sys
compiled, plain = [], builtins.exec
def counting(code, *rest):
    if isinstance(code, str):
        compiled.append(code)
    return plain(code, *rest)
import numpy, mlir.ir, hlo
builtins.exec = counting
hlo.compile(sys.argv[1], cache=False)
assert len(compiled) < 150, len(compiled)
"""
"""A first compilation compiled 546 methods of dataclasses."""


def test_a_first_compilation_compiles_few_methods():
    program = "func.func @main(%x: tensor<5xf32>) -> tensor<5xf32> { return %x : tensor<5xf32> }"
    done = subprocess.run([sys.executable, "-c", COUNTED, program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
