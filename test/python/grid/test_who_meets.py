"""Who meets whom in a collective, on small grids beside a search, and on large ones in time that grows with the grid."""

import random

import hlo
from hlo.dialect.process_groups import connected, group_of_each


def reached(pairs, process):
    """By the definition: again and again what any pair connects with those that were reached."""
    found = {process} if any(process in pair for pair in pairs) else set()
    while more := {p for pair in pairs if found & set(pair) for p in pair} - found:
        found |= more
    return tuple(sorted(found))


def test_processes_that_pairs_connect():
    numbers = random.Random(1)
    for _ in range(500):
        count = numbers.randrange(1, 12)
        sources = numbers.sample(range(count), numbers.randrange(count + 1))
        targets = numbers.sample(range(count), len(sources))
        pairs = [((s // 2, s % 2), (t // 2, t % 2)) for s, t in zip(sources, targets)]
        found = connected(pairs)
        for process in ((n // 2, n % 2) for n in range(count)):
            assert found.get(process, ()) == reached(pairs, process), pairs


def test_large_rings_and_many_groups():
    """A hundred thousand processes, each of which was searched for in all pairs of all others."""
    ring = [((n, 0), ((n + 1) % 100_000, 0)) for n in range(100_000)]
    (group,) = {id(members): members for members in connected(ring).values()}.values()
    assert group == tuple((n, 0) for n in range(100_000))
    groups = [((n, 0), (n, 1)) for n in range(100_000)]
    assert group_of_each(groups)[77_777, 1] == ((77_777, 0), (77_777, 1))


def test_a_permutation_of_many_devices_compiles():
    count = 2048
    pairs = [[n, (n + 1) % count] for n in range(count)]
    exe = hlo.compile(
        f"""func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {{
          %0 = "stablehlo.collective_permute"(%x) {{source_target_pairs = dense<{pairs}> : tensor<{count}x2xi64>}}
            : (tensor<2xf32>) -> tensor<2xf32>
          return %0 : tensor<2xf32>
        }}""",
        num_replicas=count,
    )
    (meeting,) = exe.program.meetings
    assert meeting.members[5] == tuple(range(count)) and meeting.sources[:3] == ((count - 1,), (0,), (1,))
