"""Conditions that the device looks at: conditional nodes of CUDA graphs (drivers from CUDA 12.4 on), recorded on streams.

In front of a node, and at the end of each iteration of a loop, a kernel of one thread reads a number and tells the node (by its
handle) whether its body is to be done. The driver itself defines the function that this kernel calls."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from hlo.errors import HloError
from hlo.runtime.gpu.plan import Condition

if TYPE_CHECKING:
    from hlo.runtime.gpu.cuda_driver import CudaDriver

OLDEST = 12040
"""The first version of CUDA whose drivers have loops in graphs."""

HEAD = """
.version 7.0
.target sm_80
.address_size 64

.extern .func cudaGraphSetConditional (.param .b64 handle, .param .b32 value);
"""

DECIDE = """
.visible .entry decide_{bits} (
    .param .u64 handle, .param .u64 address, .param .u64 mask, .param .u64 expected, .param .u64 equal)
{{
    .reg .pred %same;
    .reg .b32 %holds, %flipped;
    .reg .b64 %handle, %address, %number, %mask, %expected, %equal;
    ld.param.u64 %handle, [handle];
    ld.param.u64 %address, [address];
    ld.param.u64 %mask, [mask];
    ld.param.u64 %expected, [expected];
    ld.param.u64 %equal, [equal];
    cvta.to.global.u64 %address, %address;
    ld.global.u{bits} %number, [%address];
    and.b64 %number, %number, %mask;
    setp.eq.u64 %same, %number, %expected;
    selp.u32 %holds, 1, 0, %same;
    cvt.u32.u64 %flipped, %equal;
    xor.b32 %flipped, %flipped, 1;
    xor.b32 %holds, %holds, %flipped;
    {{
        .param .b64 first;
        .param .b32 second;
        st.param.b64 [first], %handle;
        st.param.b32 [second], %holds;
        call.uni cudaGraphSetConditional, (first, second);
    }}
    ret;
}}
"""

BITS = {"bool": 8, "int8": 8, "int16": 16, "int32": 32, "int64": 64}

CODE = HEAD + "".join(DECIDE.format(bits=bits) for bits in (8, 16, 32, 64))


class Conditions:
    """Of one driver."""

    def __init__(self, driver: CudaDriver):
        self.driver, self.api = driver, driver.api

    @functools.cached_property
    def are_known(self) -> bool:
        """Whether driver and bindings have conditional nodes, and the driver takes the kernel that needs them."""
        if not hasattr(self.api, "cuGraphConditionalHandleCreate") or self.driver.call("cuDriverGetVersion") < OLDEST:
            return False
        with suppress(HloError):
            self._loaded = self.driver.load(CODE)
            return True
        return False

    def repeat(self, condition: Condition, address: int, body: Callable[[], None]) -> None:
        handle = self._handle()
        self._decide(handle, condition, address)

        def iteration() -> None:
            body()
            self._decide(handle, condition, address)

        self._add_node("CU_GRAPH_COND_TYPE_WHILE", handle, iteration)

    def choose(
        self, condition: Condition, address: int, then: Callable[[], None] | None, otherwise: Callable[[], None] | None
    ) -> None:
        """A node a branch, as drivers before CUDA 12.8 have no other ones; both are decided before the first is done, which
        may write over what they are decided by."""
        wanted = [(body, holds) for body, holds in ((then, True), (otherwise, False)) if body]
        handles = [self._handle() for _ in wanted]
        for handle, (_, holds) in zip(handles, wanted):
            self._decide(handle, condition, address, holds)
        for handle, (body, _) in zip(handles, wanted):
            self._add_node("CU_GRAPH_COND_TYPE_IF", handle, body)

    def _captured(self) -> tuple[Any, list[Any], list[Any]]:
        """The graph that the stream is recorded into, the nodes that what is queued next comes after, and their edges."""
        status, _, graph, nodes, edges, *_ = self.driver.call(
            self._named("cuStreamGetCaptureInfo", "_v3"), self.driver.stream
        )
        if status != self.api.CUstreamCaptureStatus.CU_STREAM_CAPTURE_STATUS_ACTIVE:
            raise HloError("conditions on the device outside of a recording")
        nodes = list(nodes or [])
        return graph, nodes, list(edges or []) or self._edges(len(nodes))

    def _edges(self, count: int) -> list[Any]:
        """Of nodes that are done completely before what comes after. Bindings for CUDA 12 want as many as nodes."""
        return [self.api.CUgraphEdgeData() for _ in range(count)]

    def _named(self, name: str, suffix: str) -> str:
        """The function that knows edges with data: it has a name of its own in the bindings for CUDA 12."""
        return name + suffix if hasattr(self.api, name + suffix) else name

    def _handle(self) -> Any:
        graph, *_ = self._captured()
        return self.driver.call("cuGraphConditionalHandleCreate", graph, self.driver.context, 0, 0)

    def _decide(self, handle: Any, condition: Condition, address: int, holds: bool = True) -> None:
        kernel = f"decide_{BITS[condition.dtype]}"
        equal = condition.equal == holds
        arguments = [int(handle), address, condition.mask, condition.expected, int(equal)]
        self.driver.launch(self._loaded, kernel, 1, 1, 0, arguments)

    def _add_node(self, kind: str, handle: Any, body: Callable[[], None]) -> None:
        """Adds a conditional node after what is queued, and records its body."""
        graph, before, edges = self._captured()
        node = self.api.CUgraphNodeParams()
        node.type = self.api.CUgraphNodeType.CU_GRAPH_NODE_TYPE_CONDITIONAL
        node.conditional.handle, node.conditional.size = handle, 1
        node.conditional.type = getattr(self.api.CUgraphConditionalNodeType, kind)
        node.conditional.ctx = self.driver.context
        what = "adding a conditional node to a CUDA graph"
        added = self.driver.call(
            self._named("cuGraphAddNode", "_v2"), graph, before, edges, len(before), node, what=what
        )
        self._record(node.conditional.phGraph_out[0], body)
        flag = self.api.CUstreamUpdateCaptureDependencies_flags.CU_STREAM_SET_CAPTURE_DEPENDENCIES
        update = self._named("cuStreamUpdateCaptureDependencies", "_v2")
        self.driver.call(update, self.driver.stream, [added], self._edges(1), 1, int(flag))

    def _record(self, graph: Any, body: Callable[[], None]) -> None:
        """On a stream of its own, into a graph that there is."""
        call, mode = self.driver.call, self.api.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED
        recorder = self.driver.new_stream()
        try:
            call("cuStreamBeginCaptureToGraph", recorder, graph, None, None, 0, mode, what="recording a CUDA graph")
            self.driver.end_capture(recorder, body)
        finally:
            call("cuStreamDestroy", recorder)
