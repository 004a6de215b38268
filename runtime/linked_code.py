"""Object files in memory become code in this process (LLVM's ORC)."""

from __future__ import annotations

import ctypes as C
import weakref
from collections.abc import Sequence

from hlo.runtime.code import Code
from hlo.runtime.llvm_library import P, check, llvm


def link(objects: Sequence[bytes], entry: str) -> Code:
    """Machine code with the address of its entry; `Code.keep` owns it."""
    linked = LinkedCode(objects)
    return Code(linked.address(entry), sum(map(len, objects)), linked, tuple(objects))


class LinkedCode:
    """Loaded code; freed with this object. Symbols that no object defines are found in the process (libm, the OpenMP
    runtime)."""

    def __init__(self, objects: Sequence[bytes]):
        library, handle, generator = llvm(), P(), P()
        check(library.LLVMOrcCreateLLJIT(C.byref(handle), None))
        self.handle = handle
        weakref.finalize(self, library.LLVMOrcDisposeLLJIT, handle).atexit = False  # the process's end frees it
        dylib = library.LLVMOrcLLJITGetMainJITDylib(handle)
        prefix = library.LLVMOrcLLJITGetGlobalPrefix(handle)
        create = library.LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess
        check(create(C.byref(generator), prefix, None, None))
        library.LLVMOrcJITDylibAddGenerator(dylib, generator)
        for one in objects:
            buffer = library.LLVMCreateMemoryBufferWithMemoryRangeCopy(one, len(one), b"hlo")
            check(library.LLVMOrcLLJITAddObjectFile(handle, dylib, buffer))

    def address(self, name: str) -> int:
        """Where a function begins."""
        found = C.c_uint64()
        check(llvm().LLVMOrcLLJITLookup(self.handle, C.byref(found), name.encode()))
        return found.value
