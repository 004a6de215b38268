"""For all tests: nothing comes from the compile cache of the person who runs them, and nothing goes there; what JAX has compiled for one
file is not kept for the next, so that processes of the suite stay small; programs for GPUs are those for all cards, unless a test says
otherwise. Cyclic garbage is looked for more rarely than by default: with JAX loaded, each look costs. Ctrl-C is taken, though a shell
that starts the suite in the background has it ignored."""

import gc
import os
import re
import signal
import sys

import pytest
from sampling import sampled

os.environ["HLO_CACHE_DIR"] = ""
gc.set_threshold(20_000, 20, 20)
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True, scope="session")
def compile_alike_with_and_without_a_card():
    from hlo.runtime.gpu import devices

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(devices, "OWN_ARCHES", {})
        yield


@pytest.fixture(autouse=True, scope="module")
def forget_what_jax_compiled():
    yield
    if "jax" in sys.modules:
        sys.modules["jax"].clear_caches()


@pytest.fixture(autouse=True, scope="module")
def take_what_was_sent():
    """The queues of infeed, outfeed and channels belong to the process: what a file leaves there is not for the next."""
    yield
    if "hlo.runtime.custom_calls.streams" in sys.modules:
        sys.modules["hlo.runtime.custom_calls.streams"].clear()


def pytest_collection_modifyitems(config, items):
    items[:], left_out = sampled(items)
    config.hook.pytest_deselected(items=left_out)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Skips tests that run code for a row of the table of processors which has more than this one."""
    from hlo.errors import CompileError
    from hlo.host import host_flags
    from hlo.lowering.target import TARGETS

    try:
        return (yield)
    except CompileError as error:
        refused = re.search(r"this machine's processor cannot run code for cpu='(\w+)'", str(error))
        if refused and refused[1] in TARGETS and not TARGETS[refused[1]].flags <= host_flags():
            pytest.skip(str(error))
        raise
