"""libLLVM's C API through ctypes: its functions declared, the back ends initialised. ctypes drops the GIL, so threads
compile side by side; MLIR's own C API keeps it, since a context may be used by one thread at a time."""

from __future__ import annotations

import ctypes as C
import functools
from itertools import product
from pathlib import Path
from typing import Any

from hlo.errors import CompileError
from hlo.lowering.target import BACK_ENDS
from hlo.other_llvm import folders
from hlo.other_llvm import library as library_name

P, S = C.c_void_p, C.c_char_p
FUNCTIONS = (
    ("LLVMParseCommandLineOptions", None, C.c_int, C.POINTER(S), S),
    ("LLVMGetDefaultTargetTriple", P),
    ("LLVMGetHostCPUName", P),
    ("LLVMGetHostCPUFeatures", P),
    ("LLVMGetTargetFromTriple", C.c_int, P, C.POINTER(P), C.POINTER(S)),
    ("LLVMCreateTargetMachine", P, P, P, P, P, C.c_int, C.c_int, C.c_int),
    ("LLVMSetTargetMachineAsmVerbosity", None, P, C.c_int),
    ("LLVMCreateTargetDataLayout", P, P),
    ("LLVMDisposeTargetData", None, P),
    ("LLVMContextCreate", P),
    ("LLVMContextDispose", None, P),
    ("LLVMSetModuleDataLayout", None, P, P),
    ("LLVMSetTarget", None, P, P),
    ("LLVMCreatePassBuilderOptions", P),
    ("LLVMDisposePassBuilderOptions", None, P),
    ("LLVMRunPasses", P, P, S, P, P),
    ("LLVMGetErrorMessage", P, P),
    ("LLVMDisposeErrorMessage", None, P),
    ("LLVMTargetMachineEmitToMemoryBuffer", C.c_int, P, P, C.c_int, C.POINTER(S), C.POINTER(P)),
    ("LLVMCreateMemoryBufferWithMemoryRangeCopy", P, S, C.c_size_t, S),
    ("LLVMDisposeMemoryBuffer", None, P),
    ("LLVMGetBufferStart", P, P),
    ("LLVMGetBufferSize", C.c_size_t, P),
    ("LLVMParseIRInContext", C.c_int, P, P, C.POINTER(P), C.POINTER(S)),
    ("LLVMDisposeModule", None, P),
    ("LLVMVerifyModule", C.c_int, P, C.c_int, C.POINTER(S)),
    ("LLVMCloneModule", P, P),
    ("LLVMLinkModules2", C.c_int, P, P),
    ("LLVMGetFirstFunction", P, P),
    ("LLVMGetNextFunction", P, P),
    ("LLVMGetFirstGlobal", P, P),
    ("LLVMGetNextGlobal", P, P),
    ("LLVMGetNamedFunction", P, P, S),
    ("LLVMGetNamedGlobal", P, P, S),
    ("LLVMIsDeclaration", C.c_int, P),
    ("LLVMGetValueName2", P, P, C.POINTER(C.c_size_t)),
    ("LLVMSetValueName2", None, P, S, C.c_size_t),
    ("LLVMSetLinkage", None, P, C.c_int),
    ("LLVMGetLinkage", C.c_int, P),
    ("LLVMSetVisibility", None, P, C.c_int),
    ("LLVMConstStringInContext2", P, P, S, C.c_size_t, C.c_int),
    ("LLVMInt8TypeInContext", P, P),
    ("LLVMInt64TypeInContext", P, P),
    ("LLVMConstInt", P, P, C.c_ulonglong, C.c_int),
    ("LLVMConstInBoundsGEP2", P, P, P, C.POINTER(P), C.c_uint),
    ("LLVMReplaceAllUsesWith", None, P, P),
    ("LLVMTypeOf", P, P),
    ("LLVMAddGlobal", P, P, P, S),
    ("LLVMDeleteGlobal", None, P),
    ("LLVMSetInitializer", None, P, P),
    ("LLVMSetGlobalConstant", None, P, C.c_int),
    ("LLVMSetAlignment", None, P, C.c_uint),
    ("LLVMCreateStringAttribute", P, P, S, C.c_uint, S, C.c_uint),
    ("LLVMGetEnumAttributeKindForName", C.c_uint, S, C.c_size_t),
    ("LLVMCreateEnumAttribute", P, P, C.c_uint, C.c_uint64),
    ("LLVMAddAttributeAtIndex", None, P, C.c_uint, P),
    ("LLVMOrcCreateLLJIT", P, C.POINTER(P), P),
    ("LLVMOrcLLJITGetExecutionSession", P, P),
    ("LLVMOrcLLJITMangleAndIntern", P, P, S),
    ("LLVMOrcExecutionSessionCreateBareJITDylib", P, P, S),
    ("LLVMOrcExecutionSessionLookup", None, P, C.c_int, P, C.c_size_t, P, C.c_size_t, P, P),
    ("LLVMOrcJITDylibClear", P, P),
    ("LLVMOrcLLJITAddObjectFile", P, P, P, P),
    ("LLVMOrcLLJITGetGlobalPrefix", C.c_char, P),
    ("LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess", P, C.POINTER(P), C.c_char, P, P),
    ("LLVMOrcJITDylibAddGenerator", None, P, P),
)


@functools.cache
def llvm() -> C.CDLL:
    """libLLVM, from the wheel that the MLIR bindings use."""
    library = C.CDLL(library_name(next(_folder().glob("libLLVM*.so*"))))
    for name, result, *arguments in FUNCTIONS:
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    for back_end, part in product(BACK_ENDS, ("TargetInfo", "Target", "TargetMC", "AsmPrinter", "AsmParser")):
        getattr(library, f"LLVMInitialize{back_end}{part}")()
    return library


@functools.cache
def default_triple() -> str:
    """This machine's: "x86_64-unknown-linux-gnu" and the like."""
    return C.string_at(llvm().LLVMGetDefaultTargetTriple()).decode()


def _folder() -> Path:
    """That of libLLVM."""
    found = folders()
    if found is None:
        raise CompileError("the packages mlir and llvm were not found; install hlo's dependencies again")
    return found[1]


def check(error: int | None) -> None:
    """Raises what an LLVMErrorRef says."""
    if error:
        message: Any = llvm().LLVMGetErrorMessage(error)
        text = C.string_at(message).decode()
        llvm().LLVMDisposeErrorMessage(message)
        raise CompileError(f"code generation failed: {text}")
