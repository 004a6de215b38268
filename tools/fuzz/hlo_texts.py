"""HLO text with mistakes, made from good ones in test/hlo: those of the other texts, and words of HLO exchanged for others."""

from __future__ import annotations

import random
import re
from functools import cache

from hlo.tools.fuzz import texts

OPCODE = re.compile(r"(?<=[\]})] )[a-z][a-z-]*(?=\()")
ATTRIBUTE = re.compile(r"(?<=, )[a-z_]+=(?:\{[^{}\n]*\}|[^\s,{}]+)")
NAME = re.compile(r"(?<=[(\s])[%\w][\w.-]*(?=[,)])")
ELEMENT = re.compile(r"\b(?:pred|[su](?:2|4|8|16|32|64)|bf16|f(?:16|32|64)|c64)(?=\[)")
SHAPE = re.compile(r"\b[a-z]\w*\[[^\]\n]*\](?:\{[\d,]*\})?")
OPCODES = (
    *(
        "tuple",
        "get-tuple-element",
        "while",
        "conditional",
        "fusion",
        "call",
        "bitcast",
        "copy",
        "constant",
        "parameter",
    ),
    *(
        "reduce",
        "sort",
        "gather",
        "scatter",
        "dot",
        "convolution",
        "custom-call",
        "all-reduce",
        "async-start",
        "async-done",
    ),
    *("copy-start", "copy-done", "send", "recv", "infeed", "outfeed", "rng", "topk", "after-all", "scan", "all-to-all"),
)
ELEMENTS = (
    "pred",
    "s4",
    "u8",
    "s32",
    "u64",
    "bf16",
    "f32",
    "f64",
    "c64",
    "c128",
    "f8e4m3fn",
    "f4e2m1fn",
    "token",
    "f33",
    "opaque",
)
SHAPES = (
    *(
        "f32[]",
        "f32[0]",
        "f32[-1]",
        "f32[<=3]",
        "f32[?]",
        "(f32[2], s32[])",
        "()",
        "token[]",
        "((()))",
        "f32[2]{0:T(8)}",
    ),
    *(
        "s32[99999999999,99999999999]",
        "f32[9223372036854775807]",
        "pred[2]{1}",
        "f32[2]{0}",
        "c64[1,1,1]",
        "f32[2",
        "token[2]",
    ),
)
ATTRIBUTES = (
    *(
        "dimensions={}",
        "dimensions={0}",
        "dimensions={0,0}",
        "dimensions={-1}",
        "dimensions={9223372036854775808}",
        "index=5",
    ),
    *(
        "index=-1",
        "to_apply=main",
        "calls=main",
        "body=x",
        "window={size=3 pad=1_1}",
        "window={}",
        "window={size=99999999999}",
    ),
    *("dim_labels=b0f_0io->b0f", "dim_labels=", "padding=1_1_-1", "slice={[0:1]}", "slice={[5:1:0]}", "direction=LT"),
    *(
        "replica_groups=[2,2]<=[4]T(1,0)",
        "replica_groups={{0,1},{2}}",
        "replica_groups=[999999999,9]<=[9]",
        "channel_id=1",
    ),
    *(
        "k=3",
        "backend_config={a = 300 : ui8}",
        "api_version=API_VERSION_TYPED_FFI",
        'custom_call_target="x"',
        "sharding={",
    ),
    *("feature_group_count=0", "exponent_bits=4294967296", "index_vector_dim=-9", "iota_dimension=7", "fft_length={0}"),
)
MUTATIONS = (
    *((OPCODE, OPCODES), (OPCODE, OPCODES), (ELEMENT, ELEMENTS), (SHAPE, SHAPES), (SHAPE, SHAPES), (NAME, ())),
    *(
        (ATTRIBUTE, ATTRIBUTES),
        (ATTRIBUTE, ATTRIBUTES),
        (texts.NUMBER, texts.NUMBERS),
        (texts.NUMBER, texts.SMALL_NUMBERS),
    ),
)


@cache
def seeds() -> list[str]:
    return [path.read_text() for path in sorted((texts.ROOT / "test/hlo").glob("*.hlo"))]


def mutant(seed: int, number: int) -> str:
    """Text `number` of a seed: a good one with one to three mutations, one in three of which ignores its form."""
    choose = random.Random(f"{seed}:{number}")
    text = choose.choice(seeds())
    for _ in range(choose.choice((1, 1, 2, 3))):
        if choose.randrange(3):
            pattern, values = choose.choice(MUTATIONS)
            text = texts.replaced(pattern, values, text, choose)
        else:
            text = choose.choice(texts.FORM_BREAKING)(text, choose)
    return text
