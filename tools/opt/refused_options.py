"""Options of mlir-opt that hlo-opt does not have: for each one the reason, and what does its work here."""

from __future__ import annotations

_BINDINGS = "MLIR's Python bindings have no switch for it"
_ACTIONS = f"{_BINDINGS}; --mlir-print-ir-before/after and --mlir-timing show what passes do"
_REMARKS = "decisions are told by --remarks"
_PLUGINS = "no C++ plugins are loaded"

REFUSED = {
    "--emit-bytecode-version": f"{_BINDINGS}; --emit-bytecode writes the version of this LLVM",
    "--elide-resource-data-from-bytecode": f"{_BINDINGS}; constants of resources are constants of the program",
    "--irdl-file": "a definition that MLIR refuses ends the process; --allow-unregistered-dialect reads ops without one",
    "--load-dialect-plugin": f"{_PLUGINS}; --allow-unregistered-dialect reads ops of other dialects",
    "--load-pass-plugin": f"{_PLUGINS}; --load-pass=FILE.py registers passes written in Python",
    "--log-actions-to": _ACTIONS,
    "--log-mlir-actions-filter": _ACTIONS,
    "--mlir-debug-counter": _ACTIONS,
    "--mlir-diagnostic-verbosity-level": f"errors and warnings are always printed, {_REMARKS}",
    "--mlir-disable-diagnostic-notes": "errors have no notes here: a message and the source line",
    "--mlir-elide-resource-strings-if-larger": "resources become constants when they are read: --mlir-elide-elementsattrs-if-larger",
    "--mlir-enable-debugger-hook": _ACTIONS,
    "--mlir-print-debug-counter": _ACTIONS,
    "--mlir-print-elementsattrs-with-hex-if-larger": f"{_BINDINGS}; --mlir-elide-elementsattrs-if-larger leaves large constants out",
    "--mlir-print-op-on-diagnostic": "every error shows its source line instead",
    "--mlir-print-skip-regions": "whole modules are printed, of which nothing would be left",
    "--mlir-print-stacktrace-on-diagnostic": "a stack of calls is printed for a bug of hlo only",
    "--mlir-print-unique-ssa-ids": f"{_BINDINGS}; --mlir-use-nameloc-as-prefix keeps names",
    "--mlir-print-value-users": _BINDINGS,
    "--mlir-very-unsafe-disable-verifier-on-parsing": "passes rely on verified input, and MLIR ends the process on some that is not; --verify-each=false leaves out the checks between passes",
    "--no-implicit-module": "programs are modules: one without a module op gets one",
    "--print-pipeline-passes": "--dump-pass-pipeline prints the pipeline",
    "--profile-actions-to": _ACTIONS,
    "--remark-format": _REMARKS,
    "--remark-policy": _REMARKS,
    "--remarks-filter": _REMARKS,
    "--remarks-filter-analyse": _REMARKS,
    "--remarks-filter-failed": _REMARKS,
    "--remarks-filter-missed": _REMARKS,
    "--remarks-filter-passed": _REMARKS,
    "--remarks-output-file": f"{_REMARKS}, on standard error",
}
