"""Products and convolutions by hipBLASLt, rocBLAS and MIOpen: the stand-ins, and AMD's rocBLAS where it is here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as functional
from comparison import UNIT, bounded, on_both

import wavesmith.torch

PROGRAM = Path(__file__).parent / "amds_training.py"
ROOT = Path(__file__).parents[3]
FLOATS = (torch.float32, torch.float16, torch.bfloat16)
BLAS = {"hipblaslt": "hipBLASLt", "rocblas": "rocBLAS"}


@pytest.fixture
def prefer() -> Iterator[Callable[..., None]]:
    """`prefer`, undone after the test."""
    yield wavesmith.torch.prefer
    wavesmith.torch.prefer(blas="wavesmith", convolution="wavesmith")


class Calls:
    """What a library computed and refused within `with`."""

    def __init__(self, library: str) -> None:
        self.library = library
        self.computed: dict[str, int] = {}
        self.refused: dict[str, int] = {}

    def __enter__(self) -> Calls:
        self.before = wavesmith.torch.library_counts()
        return self

    def __exit__(self, *_: object) -> None:
        for name, counts in wavesmith.torch.library_counts().items():
            library, _, operator = name.partition(": ")
            assert library == self.library or counts == self.before.get(name)
            for each, now, was in zip(
                (self.computed, self.refused), counts, self.before.get(name, (0, 0)), strict=True
            ):
                if now != was:
                    each[operator] = now - was


def check(result: torch.Tensor, a: torch.Tensor, b: torch.Tensor, added: torch.Tensor | None = None) -> None:
    """Beside a @ b + added in double precision."""
    a, b = a.cpu().double(), b.cpu().double()
    extra = torch.zeros((), dtype=torch.double) if added is None else added.cpu().double()
    exact = a @ b + extra
    bound = (a.shape[-1] + 8) * 2.0**-23 * (a.abs() @ b.abs() + extra.abs()) + 2.0**-120
    unit = UNIT[result.dtype] if result.dtype != torch.float32 else 0.0
    bounded(
        result, exact, bound + 2 * unit * (exact.abs() + bound) + (2.0**-24 if result.dtype == torch.float16 else 0)
    )


def made(*sizes: int, dtype: torch.dtype, turned: bool = False) -> torch.Tensor:
    numbers = torch.randn(*sizes[:-2], *sizes[:-3:-1]).mT if turned else torch.randn(sizes)
    return numbers.to("wavesmith", dtype)


@pytest.mark.representative
@pytest.mark.parametrize("blas", BLAS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_products(prefer: Callable[..., None], blas: str, dtype: torch.dtype) -> None:
    prefer(blas=blas)
    with Calls(BLAS[blas]) as calls:
        for m, k, n in ((1, 1, 1), (37, 53, 29), (5, 300, 1), (1, 77, 130)):
            for turned in range(4):
                a, b = made(m, k, dtype=dtype, turned=turned & 1 > 0), made(k, n, dtype=dtype, turned=turned & 2 > 0)
                check(a @ b, a, b)
        a, b = made(3, 17, 25, dtype=dtype), made(3, 25, 31, dtype=dtype, turned=True)
        check(a @ b, a, b)
        check(torch.bmm(a, b[:1].expand(3, 25, 31)), a, b[:1])
    assert calls.computed == {"mm": 16, "bmm": 2} and not calls.refused


@pytest.mark.representative
@pytest.mark.parametrize("blas", BLAS)
def test_sums_with_what_is_added_in_any_shape(prefer: Callable[..., None], blas: str) -> None:
    prefer(blas=blas)
    count = 0
    with Calls(BLAS[blas]) as calls:
        for dtype in FLOATS:
            a, b = made(19, 33, dtype=dtype), made(33, 41, dtype=dtype)
            columns = torch.full((41, 19), float("nan")).to("wavesmith", dtype).t()
            for shape in ((41,), (19, 1), (1,), (), (19, 41)):
                c = torch.randn(shape).to("wavesmith", dtype)
                for beta, alpha in ((1, 1), (0.5, 2)):
                    result = torch.addmm(c, a, b, beta=beta, alpha=alpha)
                    check(result, alpha * a.cpu().double(), b, beta * c.cpu().double().expand(19, 41))
                    torch.addmm(c, a, b, beta=beta, alpha=alpha, out=columns)
                    assert torch.equal(columns.isnan(), torch.zeros_like(columns, dtype=torch.bool))
                    check(columns, alpha * a.cpu().double(), b, beta * c.cpu().double().expand(19, 41))
                    count += 2
            nothing = torch.full((19, 41), float("nan")).to("wavesmith", dtype)
            check(torch.addmm(nothing, a, b, beta=0), a, b)
            batch, row = made(3, 17, 25, dtype=dtype), made(1, 31, dtype=dtype)
            other = made(3, 25, 31, dtype=dtype)
            check(torch.baddbmm(row, batch, other), batch, other, row)
    assert calls.computed == {"addmm": count + 3, "baddbmm": 3} and not calls.refused


@pytest.mark.representative
@pytest.mark.parametrize("blas", BLAS)
def test_a_layer_and_its_gradients(prefer: Callable[..., None], blas: str) -> None:
    prefer(blas=blas)
    x, w, b = torch.randn(6, 20), torch.randn(12, 20), torch.randn(12)
    with Calls(BLAS[blas]) as calls:
        on_both(functional.linear, x, w, b, tolerance=1e-5)
    assert calls.computed == {"addmm": 1, "mm": 2} and not calls.refused
    prefer(blas="wavesmith")
    with Calls("none") as calls:
        on_both(functional.linear, x, w, b, tolerance=1e-5)


@pytest.mark.representative
def test_integers_and_activations(prefer: Callable[..., None], capfd: pytest.CaptureFixture[str]) -> None:
    a, b = torch.randint(-128, 128, (17, 32), dtype=torch.int8), torch.randint(-128, 128, (32, 24), dtype=torch.int8)
    exact = a.int() @ b.int()
    x, y, bias = (torch.randn(size).to("wavesmith") for size in ((9, 16), (16, 8), (8,)))
    activated = torch.addmm(bias.cpu().double(), x.cpu().double(), y.cpu().double()).relu()
    for blas in BLAS:
        prefer(blas=blas)
        with Calls(BLAS[blas]) as calls:
            assert torch.equal(torch._int_mm(a.to("wavesmith"), b.to("wavesmith")).cpu(), exact)
            for _ in range(2):
                result = torch._addmm_activation(bias, x, y)
                assert (result.cpu().double() - activated).abs().max() < 1e-4
        assert calls.computed["_int_mm"] == 1
        assert (calls.refused if blas == "rocblas" else calls.computed)["_addmm_activation"] == 2
    # Said once, and who computes it then.
    said = capfd.readouterr().err
    if os.environ.get("WAVESMITH_QUIET", "0") in ("", "0"):
        assert said.count("wavesmith: rocBLAS does not compute this _addmm_activation (activations)") == 1


CASES: tuple[tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]], ...] = (
    ((2, 3, 9, 11), (4, 3, 3, 2), {"stride": (2, 3), "padding": (2, 0), "dilation": (1, 2)}),
    ((1, 6, 8, 8), (4, 3, 3, 3), {"groups": 2, "padding": 1, "stride": 2}),
    ((2, 3, 14), (5, 3, 4), {"stride": 3, "padding": 2}),
    ((1, 2, 5, 6, 7), (3, 2, 2, 3, 3), {"padding": 1, "stride": (1, 2, 1)}),
)


@pytest.mark.representative
@pytest.mark.parametrize("case", range(len(CASES)))
def test_convolutions(prefer: Callable[..., None], case: int) -> None:
    prefer(convolution="miopen")
    sizes, weights, named = CASES[case]
    convolve = (functional.conv1d, functional.conv2d, functional.conv3d)[len(sizes) - 3]
    for dtype, tolerance in ((torch.float32, 1e-5), (torch.float16, 2**-8), (torch.bfloat16, 2**-5)):
        x, w, b = (torch.randn(size).to(dtype) for size in (sizes, weights, weights[:1]))
        with Calls("MIOpen") as calls:
            on_both(lambda x, w, b: convolve(x, w, b, **named), x, w, b, tolerance=tolerance)
        assert calls.computed == {"convolution": 1, "convolution's gradient": 2} and not calls.refused


@pytest.mark.representative
def test_transposed_convolutions_and_layouts(prefer: Callable[..., None]) -> None:
    prefer(convolution="miopen")
    for sizes, weights, named in (
        ((2, 4, 5, 6), (4, 3, 3, 3), {"stride": 2, "padding": 1, "output_padding": 1}),
        ((2, 4, 5, 6), (4, 2, 2, 3), {"groups": 2, "dilation": 2, "padding": (0, 3)}),
        ((1, 3, 7), (3, 2, 4), {"stride": 3}),
    ):
        turned = functional.conv_transpose1d if len(sizes) == 3 else functional.conv_transpose2d
        x, w = torch.randn(sizes), torch.randn(weights)
        b = torch.randn(weights[1] * int(named.get("groups", 1)))  # type: ignore[call-overload]
        with Calls("MIOpen") as calls:
            on_both(lambda x, w, b, c=turned, n=named: c(x, w, b, **n), x, w, b, tolerance=1e-5)
        assert sum(calls.computed.values()) == 3 and not calls.refused
    x = torch.randn(2, 3, 6, 7).to("wavesmith", memory_format=torch.channels_last)
    w = torch.randn(4, 3, 3, 3).to("wavesmith")
    result = functional.conv2d(x, w)
    assert result.is_contiguous(memory_format=torch.channels_last)
    torch.testing.assert_close(result.cpu(), functional.conv2d(x.cpu(), w.cpu()))


@pytest.mark.representative
def test_what_miopen_has_not_is_computed_as_before(prefer: Callable[..., None]) -> None:
    prefer(convolution="miopen")
    x, w = torch.randn(1, 2, 5, 5, dtype=torch.double), torch.randn(3, 2, 3, 3, dtype=torch.double)
    with Calls("MIOpen") as calls:
        ours = functional.conv2d(x.to("wavesmith"), w.to("wavesmith"))
        assert functional.conv2d(x[:0].to("wavesmith"), w.to("wavesmith")).shape == (0, 3, 3, 3)
    torch.testing.assert_close(ours.cpu(), functional.conv2d(x, w))
    assert calls.refused == {"convolution": 1} and not calls.computed


@pytest.mark.representative
def test_each_stream_in_order(prefer: Callable[..., None]) -> None:
    prefer(blas="rocblas", convolution="miopen")
    a = torch.randn(64, 64).to("wavesmith")
    wanted = torch.linalg.matrix_power(a.cpu().double() / 8, 6)
    torch.wavesmith.synchronize()
    for _ in range(3):
        stream = torch.wavesmith.Stream()
        with stream:
            product = a / 8
            for _ in range(5):
                product = product @ (a / 8)
        stream.synchronize()
        assert (product.cpu().double() - wanted).abs().max() < 1e-5 * wanted.abs().max()


@pytest.mark.representative
def test_graphs(prefer: Callable[..., None]) -> None:
    prefer(blas="rocblas", convolution="miopen")
    x, w = torch.randn(40, 64).to("wavesmith"), torch.randn(64, 48).to("wavesmith")
    image, kernel = torch.randn(1, 4, 8, 8).to("wavesmith"), torch.randn(4, 4, 3, 3).to("wavesmith")
    graph, stream = torch.wavesmith.CUDAGraph(), torch.wavesmith.Stream()
    with torch.wavesmith.graph(graph, stream=stream):
        product, convolved = x @ w, functional.conv2d(image, kernel)
    for _ in range(2):
        x.copy_(torch.randn(40, 64))
        image.copy_(torch.randn(1, 4, 8, 8))
        graph.replay()
        check(product, x, w)
        torch.testing.assert_close(convolved.cpu(), functional.conv2d(image.cpu(), kernel.cpu()))


def test_words_and_descriptions(prefer: Callable[..., None]) -> None:
    for named in ({"blas": "cublas"}, {"convolution": "hipblaslt"}):
        with pytest.raises(wavesmith.BadInputError, match="is none of wavesmith, "):
            prefer(**named)
    assert wavesmith.torch.libraries() == {"blas": "Wavesmith's kernels", "convolution": "Wavesmith's kernels"}
    prefer(blas="hipblaslt", convolution="miopen")
    described = wavesmith.torch.libraries()
    assert described["blas"].startswith("hipBLASLt 1.") and described["convolution"].startswith("MIOpen ")


def run(*command: object, **environment: str | None) -> subprocess.CompletedProcess[str]:
    """Runs a program with these variables, without those that are None."""
    variables = {name: value for name, value in (os.environ | environment).items() if value is not None}
    return subprocess.run(list(map(str, command)), env=variables, capture_output=True, text=True, check=False)


@pytest.mark.representative
def test_the_environment_chooses() -> None:
    said = run(
        sys.executable, PROGRAM, WAVESMITH_TORCH_BLAS="hipblaslt", WAVESMITH_TORCH_CONVOLUTION="miopen",
        WAVESMITH_QUIET="0",
    )  # fmt: skip
    assert said.returncode == 0, said.stderr
    found = json.loads(said.stdout)
    assert found["counts"]["hipBLASLt: addmm"][0] > 0 and found["counts"]["MIOpen: convolution"][0] > 0
    assert all(refused == 0 for _, refused in found["counts"].values())
    for word, kind in (("products by hipBLASLt 1.", "blas"), ("convolutions by MIOpen ", "convolution")):
        assert word in said.stderr and found["libraries"][kind] in said.stderr
    wrong = run(sys.executable, "-c", "import wavesmith.torch", WAVESMITH_TORCH_BLAS="mkl")
    assert wrong.returncode and "WAVESMITH_TORCH_BLAS=mkl is none of wavesmith, hipblaslt, rocblas" in wrong.stderr


NAMED_CUDA = """
import torch, wavesmith.torch
choose, there = torch.backends.cuda.preferred_blas_library, {"device": "cuda"}
before = choose()
x = torch.randn(8, 8, **there)
for word, library in (("hipblaslt", "hipBLASLt"), ("hipblas", "rocBLAS")):
    assert choose(word) == choose() != before
    torch.testing.assert_close((x @ x).cpu(), x.cpu() @ x.cpu())
    assert wavesmith.torch.library_counts()[f"{library}: mm"] == (1, 0)
assert choose(before) == before == torch._C._BlasBackend.Default
x @ x
assert sum(computed for computed, _ in wavesmith.torch.library_counts().values()) == 2
try:
    choose("ck")
except RuntimeError as error:
    print(error)
"""


@pytest.mark.representative
def test_pytorchs_own_word_for_it() -> None:
    said = run(sys.executable, "-c", NAMED_CUDA, WAVESMITH_TORCH="cuda")
    assert said.returncode == 0, said.stderr
    assert "is not there: choose default, hipblas or hipblaslt" in said.stdout


def without_stand_ins(folder: Path) -> Path:
    """The package as it is here, without stand-ins of AMD's libraries."""
    package = Path(wavesmith.__file__).parent
    (folder / "wavesmith" / "lib").mkdir(parents=True)
    for path in package.iterdir():
        if path.name != "lib":
            (folder / "wavesmith" / path.name).symlink_to(path.resolve())
    for path in Path(wavesmith._paths.libraries()).iterdir():
        if path.name != "stand-ins":
            (folder / "wavesmith" / "lib" / path.name).symlink_to(path.resolve())
    return folder


@pytest.mark.representative
def test_a_missing_library_is_named(tmp_path: Path) -> None:
    clean = {name: None for name in os.environ if name.startswith(("WAVESMITH_", "LD_"))}
    variables = clean | {
        "PYTHONPATH": str(without_stand_ins(tmp_path)),
        "WAVESMITH_CACHE": os.environ.get("WAVESMITH_CACHE"),
    }
    program = (
        "import wavesmith.torch\n"
        "for named in ({'blas': 'hipblaslt'}, {'blas': 'rocblas'}, {'convolution': 'miopen'}):\n"
        "    try: wavesmith.torch.prefer(**named)\n"
        "    except wavesmith.NotFoundError as error: print(error)\n"
        "print(wavesmith.torch.libraries())"
    )
    said = run(sys.executable, "-c", program, **variables)
    assert said.returncode == 0, said.stderr
    lines = said.stdout.splitlines()
    for line, title in zip(lines, ("hipBLASLt", "rocBLAS", "MIOpen"), strict=False):
        assert f"this process has no {title}: " in line and "wavesmith libraries install " in line
    assert lines[3] == "{'blas': \"Wavesmith's kernels\", 'convolution': \"Wavesmith's kernels\"}"


def debians(folder: Path) -> Path | None:
    """AMD's rocBLAS of build/libraries/root as `wavesmith libraries install` lays it out; None: it is not there."""
    root = ROOT / "build/libraries/root/usr"
    libraries = Path("lib/x86_64-linux-gnu")
    if not (root / libraries / "librocblas.so.5").exists():
        return None
    parts = {
        "amd": ("librocblas.so*", "rocblas"),
        "libc": ("ld-linux*", *(f"lib{name}.so*" for name in ("c", "m", "dl", "rt", "pthread", "mvec", "util"))),
        "support": ("libstdc++.so*", "libgcc_s.so*", "libzstd.so*"),
    }
    for part, patterns in parts.items():
        (folder / part / "usr" / libraries).mkdir(parents=True)
        for pattern in patterns:
            for path in (root / libraries).glob(pattern):
                (folder / part / "usr" / libraries / path.name).symlink_to(path)
    packages = [{"name": "librocblas5", "version": "of that root", "part": "amd"}]
    (folder / "installed.json").write_text(json.dumps({"asked": ["rocblas"], "packages": packages}))
    return folder


@pytest.mark.representative
def test_amds_rocblas(tmp_path: Path) -> None:
    folder = debians(tmp_path / "libraries")
    if folder is None:
        pytest.skip("AMD's rocBLAS is not here: tools/setup-libraries")
    command = Path(wavesmith._paths.command())
    clean = {name: None for name in os.environ if name.startswith(("WAVESMITH_", "LD_"))}
    clean |= {"WAVESMITH_CACHE": os.environ.get("WAVESMITH_CACHE"), "WAVESMITH_TORCH_BLAS": "rocblas"}
    said = run(
        command, "run", "--libraries", folder, "--gpu", "mi300x", "--", sys.executable, PROGRAM, "--no-convolution",
        **clean,
    )  # fmt: skip
    assert said.returncode == 0, said.stderr
    found = json.loads(said.stdout)
    assert found["libraries"]["blas"].startswith("rocBLAS 5.") and "(AMD's, " in found["libraries"]["blas"]
    assert any(name.startswith("Cijk_") for name in found["kernels"]), found["kernels"]
    assert found["counts"] == {"rocBLAS: addmm": [1, 0], "rocBLAS: mm": [2, 0]}
