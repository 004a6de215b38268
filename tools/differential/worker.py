"""A worker process: one request a line (JSON), one answer a line."""

from __future__ import annotations

import gc
import json
import os
import sys
from dataclasses import asdict
from pathlib import Path

from hlo.tools.differential.check import check_numbers


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever a program prints must not mix with the answers
    gc.disable()  # a tenth of the time otherwise: a batch makes many objects and few cycles
    for line in sys.stdin:
        request = json.loads(line)
        at_work = Path(request["at_work"])
        failures = check_numbers(request["seed"], request["numbers"], request["ops"], at_work, request["how"])
        answers.write(json.dumps([asdict(f) for f in failures]) + "\n")
        answers.flush()
        gc.collect()


if __name__ == "__main__":
    main()
