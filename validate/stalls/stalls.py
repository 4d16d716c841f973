"""Judges stalls per instruction under the cycle model against thread traces of an MI350X.

The traces are those of github.com/jhinpan/flydsl-kernel-profiling-lib (rocprofv3, FlyDSL's kernels): a folder
`examples` with the instructions of each kernel, and what they cost the waves of one compute unit of four shader
engines. The kernels are put together again from the traces' instructions, launched three times with operands of the
traced shape, and the last launch is profiled. How the L1 takes accesses was read off some of them (docs/STALLS.md).
"""

import argparse
import csv
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

import traces

HERE = Path(__file__).parent
GPU = "mi350x"
WORST = 10


@dataclass(frozen=True)
class Judged:
    """A kernel's stalls, measured and modelled."""

    kernel: traces.Kernel
    lines: list[traces.Line]
    modelled: dict[int, tuple[int, int]]  # by address: hits, stall
    hits: int  # modelled, of the kernel's first instruction

    def shares(self) -> tuple[list[float], list[float]]:
        """The part of all stall that each line has: measured, modelled."""
        measured = [line.stall for line in self.lines]
        modelled = [self.modelled.get(line.address, (0, 0))[1] for line in self.lines]
        return _shares(measured), _shares(modelled)

    def per_wave(self) -> tuple[float, float]:
        """Cycles that a wave stalls: measured, modelled."""
        measured = sum(line.stall for line in self.lines) / self.lines[0].hits
        return measured, sum(stall for _, stall in self.modelled.values()) / self.hits

    def figures(self) -> dict[str, float]:
        """What the page shows of it.

        worst: the rank, from 1, that the model gives the line which stalls longest; in_ten: how many of the ten worst
        lines are among the model's ten; elsewhere: the part of all stall that the model has at other lines.
        """
        measured, modelled = self.shares()
        ranks, modelled_ranks = order(measured), order(modelled)
        return {
            "worst": modelled_ranks.index(ranks[0]) + 1,
            "in_ten": len(set(ranks[:WORST]) & set(modelled_ranks[:WORST])),
            "elsewhere": sum(abs(a - b) for a, b in zip(measured, modelled, strict=True)) / 2,
            "per_wave": self.per_wave()[1] / self.per_wave()[0],
        }


def _shares(stalls: list[int]) -> list[float]:
    total = sum(stalls) or 1
    return [stall / total for stall in stalls]


def order(shares: list[float]) -> list[int]:
    """Indices, the largest share first; of equal ones the first."""
    return sorted(range(len(shares)), key=lambda i: (-shares[i], i))


def kernels() -> list[traces.Kernel]:
    """The kernels of kernels.toml."""
    found = tomllib.loads((HERE / "kernels.toml").read_text())["kernel"]
    return [traces.Kernel(**row | {"arguments": tuple(tuple(pair) for pair in row["arguments"])}) for row in found]


def _tables(folder: Path, kernel: traces.Kernel) -> dict[str, str]:
    """Files of the tables that a kernel's arguments name; they need NumPy."""
    if not kernel.tables:
        return {}
    import tables

    return tables.write(folder, **kernel.tables)


def judge(kernel: traces.Kernel, library: Path, wavesmith: str, clang: str) -> Judged:
    """Profiles a kernel, and puts what was measured of it beside."""
    lines = traces.read(library, kernel)
    with tempfile.TemporaryDirectory() as scratch:
        source, code, table = (Path(scratch) / name for name in ("traced.s", "traced.co", "traced.csv"))
        source.write_text(traces.assembly(kernel, lines))
        subprocess.run(
            [clang, "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx950", "-nostdlib", source, "-o", code], check=True
        )
        shown = ["--gpu", GPU, "--sampled", "--json", "--statistics", str(table)]
        launch = ["--launches", "3", "--grid", kernel.grid, "--block", str(kernel.block)]
        files = _tables(Path(scratch), kernel)
        arguments = [word for _, text in kernel.arguments for word in ("--arg", text.format(**files))]
        subprocess.run(
            [wavesmith, "profile", *shown, code, *launch, *arguments],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        with table.open() as file:
            rows = list(csv.DictReader(file))
    modelled = {int(row["Vaddr"], 0): (int(row["Hitcount"]), int(row["Stall"])) for row in rows}
    return Judged(kernel, lines, modelled, int(rows[0]["Hitcount"]))


def page(judged: list[Judged]) -> str:
    """docs/STALLS.md."""
    figures = [one.figures() for one in judged]
    found = [figure["worst"] <= 3 for figure in figures]
    unseen = [worst for one, worst in zip(judged, found, strict=True) if not one.kernel.read_off]
    text = [
        "# Stalls per instruction, against thread traces",
        "",
        *(HERE / "page.md").read_text().rstrip().splitlines(),
        "[validate/stalls](../validate/stalls/README.md) makes this page.",
        "",
        f"The line that stalls longest is among the model's three worst in **{sum(unseen)} of {len(unseen)}** kernels "
        "that no mechanism was",
        f"read off; in {sum(found)} of all {len(found)}. A star marks those that the model was shaped by.",
        "",
        "| kernel | lines | a wave stalls, cycles: measured | modelled | rank of the worst line | of the ten worst "
        "among ours | stall at other lines |",
        "|---|---|---|---|---|---|---|",
    ]
    for one, figure in zip(judged, figures, strict=True):
        measured, modelled = one.per_wave()
        text.append(
            f"| {one.kernel.what}{'*' * one.kernel.read_off} | {len(one.lines)} | {measured:,.0f} | {modelled:,.0f} "
            f"| {figure['worst']:.0f} | {figure['in_ten']:.0f} | {figure['elsewhere']:.0%} |"
        )
    text += ["", "## The worst lines", ""]
    for one in judged:
        measured_shares, modelled_shares = one.shares()
        ranks = order(modelled_shares)
        text += [
            f"### {one.kernel.what}",
            "",
            "| instruction | at | stall, measured | modelled | rank | cycles per execution, measured | modelled |",
            "|---|---|---|---|---|---|---|",
        ]
        for i in order(measured_shares)[:5]:
            line = one.lines[i]
            hits, stall = one.modelled.get(line.address, (0, 0))
            text.append(
                f"| `{line.text.split()[0]}` | {line.address:#x} | {measured_shares[i]:.1%} | {modelled_shares[i]:.1%} "
                f"| {ranks.index(i) + 1} | {line.stall / max(line.hits, 1):,.0f} | {stall / max(hits, 1):,.0f} |"
            )
        text.append("")
    return "\n".join(text)


def main() -> None:
    """Judges the kernels and writes the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--traces", type=Path, required=True, help="a checkout of the library of traces")
    parser.add_argument("--wavesmith", default="wavesmith", help="the command (default: wavesmith)")
    parser.add_argument("--clang", default="clang-22", help="an assembler for gfx950 (default: clang-22)")
    parser.add_argument("--only", default="", help="kernels whose folder has this")
    parser.add_argument("--page", type=Path, help="write docs/STALLS.md there")
    options = parser.parse_args()
    judged = []
    for kernel in kernels():
        if options.only not in kernel.folder:
            continue
        try:
            one = judge(kernel, options.traces, options.wavesmith, options.clang)
        except (FileNotFoundError, subprocess.CalledProcessError) as error:
            sys.exit(f"stalls: {kernel.folder}: {error}")
        judged.append(one)
        print(kernel.folder, {name: round(value, 2) for name, value in one.figures().items()}, flush=True)
    if options.page:
        options.page.write_text(page(judged))


if __name__ == "__main__":
    main()
