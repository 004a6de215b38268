"""Several modules of LLVM IR become one, of which only chosen names are seen outside; and it becomes an object file."""

from __future__ import annotations

import ctypes as C
import hashlib
from collections.abc import Iterator, Sequence

from mlir import ir

from hlo.errors import CompileError
from hlo.lowering.llvm.add_entry import ENTRY
from hlo.runtime.compile import small_float_functions
from hlo.runtime.compile.code_options import code_options
from hlo.runtime.compile.llvm_engine import translate
from hlo.runtime.compile.llvm_library import P, S, llvm
from hlo.runtime.compile.object_files import OBJECT, PASSES, Machine, emit, run_passes, set_machine, target_machine

INTERNAL, WEAK, HIDDEN = 8, 5, 1
"""LLVMInternalLinkage, LLVMWeakAnyLinkage, LLVMHiddenVisibility."""

DATA_ALIGNMENT = 64

FUNCTION_INDEX = 0xFFFFFFFF
"""Where a function's own attributes are."""

CLEAN_UP = b"globaldce"


class Joined:
    """A module that grows, in a context of its own; `close` frees what is left of both."""

    def __init__(self, machine: Machine):
        self._machine = machine
        self._context = llvm().LLVMContextCreate()
        self._module = self._parse("")
        self._data = bytearray()
        self._parts: dict[bytes, tuple[str, int]] = {}

    def close(self) -> None:
        llvm().LLVMContextDispose(self._context)

    def add_text(self, text: str) -> None:
        """A module of LLVM IR, which must be right."""
        self._link(self._parse(text))

    def add_program(self, module: ir.Module, name: str, machine: Machine | None) -> None:
        """A module in the LLVM dialect, whose entry gets a name; nothing else of it is seen. `machine`: what its code is
        generated for, where that is not the whole object's."""
        library = llvm()
        made = translate(module, self._context)
        for value in _defined(made):
            if machine is not None and library.LLVMGetNamedFunction(made, _name(value)):
                self._generate_for(value, machine)
            if _name(value) != ENTRY.encode():
                library.LLVMSetLinkage(value, INTERNAL)
        encoded = name.encode()
        library.LLVMSetValueName2(library.LLVMGetNamedFunction(made, ENTRY.encode()), encoded, len(encoded))
        self._link(made)

    def data(self, data: bytes) -> str:
        """The name of read-only data, which is there once: of a byte that texts declare as external."""
        key = hashlib.sha256(data).digest()
        if key not in self._parts:
            self._data += bytes(-len(self._data) % DATA_ALIGNMENT)
            self._parts[key] = f"hlo.data.{len(self._parts)}", len(self._data)
            self._data += data
        return self._parts[key][0]

    def file(self, exported: Sequence[str]) -> bytes:
        """The object file, in which these names are seen outside."""
        library = llvm()
        self._write_data()
        kept = {name.encode() for name in exported}
        for value in _defined(self._module):
            if _name(value) not in kept and not _name(value).startswith(b"llvm."):
                library.LLVMSetLinkage(value, INTERNAL)
        self._promise_no_exceptions()
        self._verify()
        with code_options(), target_machine(self._machine) as made:
            set_machine(self._module, self._machine, made)
            run_passes(self._module, made, CLEAN_UP)
            run_passes(self._module, made, PASSES)
            run_passes(self._module, made, CLEAN_UP)
            spare = library.LLVMCloneModule(self._module)
            found = emit(self._module, made, OBJECT)
            self._module = spare
            if not any(name in found for name in small_float_functions.NAMES):
                return found
            self._add_helpers()
            run_passes(self._module, made, PASSES)
            return emit(self._module, made, OBJECT)

    def _write_data(self) -> None:
        """All data is one array: LLVM writes several in an order that is not always the same."""
        library, names = llvm(), {}
        for name, offset in self._parts.values():
            declared = library.LLVMGetNamedGlobal(self._module, name.encode())
            if declared:
                names[offset] = declared
        if not names:
            return
        data = bytes(self._data)
        value = library.LLVMConstStringInContext2(self._context, data, len(data), True)
        whole = library.LLVMAddGlobal(self._module, library.LLVMTypeOf(value), b"hlo.data")
        library.LLVMSetInitializer(whole, value)
        library.LLVMSetGlobalConstant(whole, True)
        library.LLVMSetAlignment(whole, DATA_ALIGNMENT)
        byte, word = library.LLVMInt8TypeInContext(self._context), library.LLVMInt64TypeInContext(self._context)
        for offset, declared in names.items():
            index = (P * 1)(library.LLVMConstInt(word, offset, False))
            library.LLVMReplaceAllUsesWith(declared, library.LLVMConstInBoundsGEP2(byte, whole, index, 1))
            library.LLVMDeleteGlobal(declared)

    def _add_helpers(self) -> None:
        """Functions that LLVM calls by itself: weak, since other objects of a program may have them too."""
        library = llvm()
        self.add_text(small_float_functions.TEXT)
        for name in small_float_functions.NAMES:
            function = library.LLVMGetNamedFunction(self._module, name)
            library.LLVMSetLinkage(function, WEAK)
            library.LLVMSetVisibility(function, HIDDEN)

    def _promise_no_exceptions(self) -> None:
        """Nothing that C calls throws: no tables for unwinding are needed."""
        library, key = llvm(), b"nounwind"
        attribute = library.LLVMCreateEnumAttribute(
            self._context, library.LLVMGetEnumAttributeKindForName(key, len(key)), 0
        )
        for value in _defined(self._module):
            if library.LLVMGetNamedFunction(self._module, _name(value)):
                library.LLVMAddAttributeAtIndex(value, FUNCTION_INDEX, attribute)

    def _parse(self, text: str) -> int:
        library, parsed, message = llvm(), P(), S()
        data = text.encode()
        buffer = library.LLVMCreateMemoryBufferWithMemoryRangeCopy(data, len(data), b"text")
        failed = library.LLVMParseIRInContext(self._context, buffer, C.byref(parsed), C.byref(message))
        assert not failed, (message.value, text)
        assert parsed.value
        return parsed.value

    def _link(self, module: int) -> None:
        with target_machine(self._machine) as made:
            for one in (self._module, module):
                set_machine(one, self._machine, made)
        assert not llvm().LLVMLinkModules2(self._module, module), "modules that do not fit each other"

    def _verify(self) -> None:
        message = S()
        if llvm().LLVMVerifyModule(self._module, 2, C.byref(message)):
            raise CompileError(f"code generation failed: {(message.value or b'').decode()}")

    def _generate_for(self, function: int, machine: Machine) -> None:
        library = llvm()
        for key, value in (("target-cpu", machine.cpu), ("target-features", machine.features)):
            texts = [part for text in (key, value) for part in (text.encode(), len(text))]
            library.LLVMAddAttributeAtIndex(
                function, FUNCTION_INDEX, library.LLVMCreateStringAttribute(self._context, *texts)
            )


def _name(value: int) -> bytes:
    size = C.c_size_t()
    return C.string_at(llvm().LLVMGetValueName2(value, C.byref(size)), size.value)


def _defined(module: int) -> Iterator[int]:
    """Functions with a body and globals with a value."""
    library = llvm()
    for first, following in (
        (library.LLVMGetFirstFunction, library.LLVMGetNextFunction),
        (library.LLVMGetFirstGlobal, library.LLVMGetNextGlobal),
    ):
        value = first(module)
        while value:
            if not library.LLVMIsDeclaration(value):
                yield value
            value = following(value)
