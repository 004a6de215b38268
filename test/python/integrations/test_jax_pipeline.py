"""Programs of JAX with phases of the user's own: `hlo.jax.use_pipeline`."""

import pytest
from test_jax_backend import START, run

OWN = """
import hlo
from dataclasses import dataclass
from hlo.lowering.passes import Pass
from hlo.errors import HloError
seen = []


@dataclass(frozen=True)
class CountPrograms(Pass):
    def run(self, module):
        seen.append(module.operation.attributes["sym_name"].value)

def phases():
    found = hlo.pipelines.cpu()
    found[0].passes.insert(0, CountPrograms())
    return found

f = jax.jit(lambda x: x * 2 + 1)
x = jnp.arange(3.0)
print(f(x).tolist(), len(seen))
hlo.jax.use_pipeline(phases)
print(f(x).tolist(), len(seen), f(x).tolist(), len(seen))
hlo.jax.use_pipeline(lambda: hlo.pipelines.cpu()[:1])
try:
    f(x)
except jax.errors.JaxRuntimeError as error:
    print(str(error).splitlines()[0])
hlo.jax.use_pipeline(None)
print(f(x).tolist(), len(seen))
try:
    hlo.jax.use_pipeline(phases())
except HloError as error:
    print(str(error)[:57])
"""


def test_use_pipeline(tmp_path):
    done = run(START + OWN, JAX_COMPILATION_CACHE_DIR=str(tmp_path), JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS="0")
    assert done.returncode == 0, done.stderr[-3000:]
    first, own, wrong, again, refused = done.stdout.splitlines()
    assert (
        first == "[1.0, 3.0, 5.0] 0" and own == "[1.0, 3.0, 5.0] 1 [1.0, 3.0, 5.0] 1" and again == "[1.0, 3.0, 5.0] 1"
    )
    assert "hlo.arena" in wrong, wrong
    assert refused == "use_pipeline takes a function that gives phases, or None,"


INTERRUPTED = """
import hlo, os, signal, time
from dataclasses import dataclass
from hlo.lowering.passes import Pass


@dataclass(frozen=True)
class Interrupt(Pass):
    def run(self, module):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.3)  # the main thread is on its way out by then

def phases():
    found = hlo.pipelines.cpu()
    found[0].passes.insert(0, Interrupt())
    return found

hlo.jax.use_pipeline(phases)
try:
    jax.jit(lambda x: x * 2 + 1).lower(1.0).compile()
except KeyboardInterrupt:
    print("interrupted")
"""

GOES_ON = """
hlo.jax.use_pipeline(None)
print(jax.jit(lambda x: x + 2)(1.0))
"""


@pytest.mark.parametrize(("then", "wanted"), [("", ["interrupted"]), (GOES_ON, ["interrupted", "3.0"])])
def test_interrupt_while_a_thread_of_jax_compiles(then, wanted):
    """The process neither waits for that thread forever nor crashes when it ends at once."""
    done = run(START + INTERRUPTED + then)
    assert (done.returncode, done.stdout.splitlines()) == (0, wanted), done.stderr[-3000:]
