#!/usr/bin/env python3
"""Looks at the hot loop of each kernel of docs/KERNEL_SPEED.md with `wavesmith explain`: no finding of it may be worth
more than 10 %, but for those that kernels/speed/findings.tsv states with their reason.

    kernels/speed/findings.py [--build build/release]
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from operations import Timed, read

HERE = Path(__file__).resolve().parent
STATED = HERE / "findings.tsv"
MOST = 10
"""Percent of the hot loop."""

STREAMS = re.compile(r"(decode|norm|softmax|combine|loss)|mla_\w+_16$|gemm_\w+?_(16|32|64)x\d+x(256|512|1024)_")
"""Kernels whose loads the memory behind all caches serves: what reads everything once (so does latent attention of few
heads), and products of few rows, whose workgroups share A alone."""


@dataclass(frozen=True)
class Finding:
    """What `explain` finds in a hot loop; `percent` is the gain, or in findings.tsv the most that it may be."""

    gpu: str
    kernel: str
    rule: str
    percent: float
    why: str = ""

    def is_within(self, stated: Finding) -> bool:
        same = (self.gpu, self.kernel, self.rule) == (stated.gpu, stated.kernel, stated.rule)
        return same and self.percent <= stated.percent


def stated() -> list[Finding]:
    lines = csv.DictReader(STATED.read_text().splitlines(), delimiter="\t")
    return [Finding(line["gpu"], line["kernel"], line["rule"], float(line["percent"]), line["why"]) for line in lines]


def kernels_of_page() -> list[tuple[str, str]]:
    """GPU and kernel of each row that has a time."""
    timed = [(row.operation.gpu, row.ours.kernel) for row in read()[0] if isinstance(row.ours, Timed)]
    return sorted(set(timed))


class Explainer:
    def __init__(self, build: Path) -> None:
        self.build = build
        self.targets = {gpu["id"]: gpu["target"]["value"] for gpu in self.wavesmith("gpus", "--json")}

    def wavesmith(self, *words: str) -> Any:
        ran = subprocess.run([self.build / "bin/wavesmith", *words], capture_output=True, text=True, check=True)
        return json.loads(ran.stdout)

    def findings(self, gpu: str, kernel: str) -> list[Finding]:
        """Those of the hot loop that are worth more than MOST."""
        code = self.build / f"lib/kernels/{self.targets[gpu]}.co"
        served_by = "memory" if STREAMS.match(kernel) else "l2"
        words = ["--gpu", gpu, "--kernel", kernel, "--served-by", served_by, "--json"]
        explained = self.wavesmith("explain", str(code), *words)
        one = next(one for one in explained["kernels"] if one["name"] == kernel)
        gains: dict[str, float] = {}
        for finding in one["findings"]:
            percent = finding["gain_percent"]["value"] or 0
            if percent > MOST and any(place["loop"] == one["hot_loop"] for place in finding["where"]):
                gains[finding["rule"]] = max(percent, gains.get(finding["rule"], 0))
        return [Finding(gpu, kernel, rule, percent) for rule, percent in gains.items()]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=HERE.parents[1] / "build/release")
    explainer = Explainer(parser.parse_args().build)
    kernels, allowed = kernels_of_page(), stated()
    with ThreadPoolExecutor() as pool:
        found = [one for some in pool.map(lambda kernel: explainer.findings(*kernel), kernels) for one in some]
    print(f"{len(kernels)} kernels, {len(found)} findings over {MOST} % in their hot loops")
    unstated = [one for one in found if not any(one.is_within(other) for other in allowed)]
    for one in unstated:
        print(f"{one.gpu}: {one.kernel}: {one.rule} {one.percent:.0f} %: mend it, or state it in {STATED.name}")
    needless = [other for other in allowed if not any(one.is_within(other) for one in found)]
    for other in needless:
        print(f"{other.gpu}: {other.kernel}: {other.rule} is stated in {STATED.name}, and not found")
    return 1 if unstated or needless else 0


if __name__ == "__main__":
    sys.exit(main())
