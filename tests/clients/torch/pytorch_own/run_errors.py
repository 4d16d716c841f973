#!/usr/bin/env python3
"""Tries what PyTorch's own list of operators says that each must refuse, on the device, and lists what differs.

    build/release/bin/wavesmith run --gpu mi300x -- python tests/clients/torch/pytorch_own/run_errors.py [--only NAME]

Two questions, as PyTorch's `test_ops.py` asks them of a device: whether each of an OpInfo's `error_inputs` raises the
exception with the words that it names; and whether types that PyTorch takes on neither the CPU nor a GPU are refused.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from pathlib import Path

os.environ.setdefault("WAVESMITH_QUIET", "1")
sys.path.insert(0, str(Path(__file__).parent))

from opinfos import computed_types, operators, wrong_errors


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="operators whose name contains this")
    parser.add_argument("--types", action="store_true", help="the second question alone")
    parser.add_argument("--errors", action="store_true", help="the first question alone")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    tried = wrong = computed = 0
    for op in operators():
        if options.only not in op.full_name:
            continue
        if not options.types:
            count, differ = wrong_errors(op)
            tried += count
            wrong += len(differ)
            for line in differ:
                print(f"{op.full_name}: {line}", flush=True)
        if not options.errors:
            types = computed_types(op)
            computed += len(types)
            if types:
                print(f"{op.full_name}: computed for {', '.join(map(str, types))}", flush=True)
    print(f"{tried} calls that PyTorch refuses: {tried - wrong} are refused as it does")
    print(f"{computed} operators and types are computed that PyTorch takes nowhere")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
