"""`wavesmith.use` and `wavesmith run`: which GPU a process has."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Python

import wavesmith
from wavesmith import _paths

pytestmark = pytest.mark.representative

COUNT = """
import ctypes
count = ctypes.c_int()
assert ctypes.CDLL("{name}").hipGetDeviceCount(ctypes.byref(count)) == 0
print(count.value)
"""


def test_gpus_are_described() -> None:
    known = {gpu.id: gpu for gpu in wavesmith.gpus()}
    assert list(known) == sorted(known) and len(known) >= 9
    mi355x = known["mi355x"]
    assert (mi355x.target, mi355x.compute_units, mi355x.wave_sizes) == ("gfx950", 256, (64,))
    assert mi355x.memory_bytes == 288 << 30
    clock = mi355x.numbers["clocks.engine_mhz"]
    assert clock.value == 2400 and clock.unit == "MHz" and clock.kind == "read" and "data sheet" in clock.source
    assert [gpu.id for gpu in wavesmith.machine("mi300x:2,mi210")] == ["mi300x", "mi300x", "mi210"]
    assert wavesmith.machine("mi300x+compute.units=8")[0].compute_units == 8


@pytest.mark.parametrize("name", ["libamdhip64.so.7", "libamdhip64.so"])
def test_a_client_that_asks_by_name_finds_the_gpus(python: Python, name: str) -> None:
    ran = python("import wavesmith; wavesmith.use('mi355x', count=2)" + COUNT.format(name=name))
    assert ran.stdout == "2\n", ran.stderr
    assert ran.stderr == "wavesmith: emulating 2 x AMD Instinct MI355X (gfx950)\n"


def test_clients_are_told_where_the_library_is(python: Python) -> None:
    ran = python(
        """
import json, os, wavesmith
wavesmith.use("mi300x", quiet=True)
print(json.dumps(dict(os.environ)))
""",
        IREE_HIP_DYLIB_PATH="/mine",
    )
    environment = json.loads(ran.stdout)
    assert Path(environment["TRITON_LIBHIP_PATH"]).exists()
    assert environment["IREE_HIP_DYLIB_PATH"] == "/mine", "what the user has set stays"
    assert Path(environment["ROCM_PATH"]).is_dir()
    assert environment["WAVESMITH_GPU"] == "mi300x"
    assert environment["XLA_PYTHON_CLIENT_PREALLOCATE"] == "false"
    assert "--xla_gpu_autotune_level=0" in environment["XLA_FLAGS"]
    assert ran.stderr == ""


def test_python_and_its_children_see_the_kernel_driver_s_files(python: Python) -> None:
    ran = python(
        """
import os, subprocess, wavesmith
top = "/sys/class/kfd/kfd/topology/nodes"
wavesmith.use("mi300x", count=2, quiet=True)
print(sorted(os.listdir(top)), "simd_count 1216" in open(top + "/2/properties").read())
print(subprocess.run(["ls", top], capture_output=True, text=True).stdout.split())
""",
        WAVESMITH_MACHINE="1",
    )
    assert ran.stdout == "['0', '1', '2'] True\n['0', '1', '2']\n", ran.stderr


def test_the_environment_names_the_gpu_where_the_program_does_not(python: Python) -> None:
    program = "import wavesmith; wavesmith.use(); print(wavesmith.used())"
    assert python(program).stdout == "mi300x\n"
    assert python(program, WAVESMITH_GPU="mi210:2").stdout == "mi210:2\n"
    assert python(
        "import wavesmith; wavesmith.use('mi355x'); print(wavesmith.used())", WAVESMITH_GPU="mi210"
    ).stdout == ("mi355x\n")


@pytest.mark.parametrize(
    ("program", "error"),
    [
        ("wavesmith.use('mi300x'); wavesmith.use('mi300x'); wavesmith.use(); raise SystemExit('fine')", "fine"),
        ("wavesmith.use('mi300x'); wavesmith.use('mi355x')", "has 'mi300x' .*cannot have 'mi355x'.*another process"),
        ("wavesmith.use('mi300x'); wavesmith.use('mi300x', count=2)", "has 'mi300x' .*cannot have 'mi300x:2'"),
        ("wavesmith.use('mi3')", "no GPU 'mi3'; known are .*mi210, .*rx9070xt"),
        ("wavesmith.use('mi300x', count=0)", "count=0.*at least one GPU"),
        ("wavesmith.use('mi300x+compute.unit=1')", "NotFoundError|BadInputError"),
        ("wavesmith.use('./none.toml')", "none.toml"),
    ],
)
def test_what_cannot_be_used_is_refused(python: Python, program: str, error: str) -> None:
    ran = python("import wavesmith; " + program)
    assert ran.returncode == 1
    assert re.search(error, ran.stderr), ran.stderr


def test_modelled_time_is_settled_before_the_runtime_is_loaded(python: Python) -> None:
    ran = python(
        """
import ctypes, wavesmith
wavesmith.use("mi300x", time=True, quiet=True)
hip = ctypes.CDLL("libamdhip64.so.7")
start, stop, took = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_float(-1)
for event in (start, stop):
    assert not hip.hipEventCreate(ctypes.byref(event)) and not hip.hipEventRecord(event, None)
assert not hip.hipEventSynchronize(stop) and not hip.hipEventElapsedTime(ctypes.byref(took), start, stop)
print(took.value)
wavesmith.use("mi300x", time="sampled")
"""
    )
    assert 0 <= float(ran.stdout) < 0.01, ran.stderr  # nothing lies between the two but what recording takes there
    late = python("import wavesmith; wavesmith.use(); wavesmith.use(time=True)")
    assert "UseError: whether events tell modelled time" in late.stderr and "wavesmith.profile" in late.stderr


def test_another_hip_runtime_in_the_process_is_an_error(python: Python, tmp_path: Path) -> None:
    other = tmp_path / "libamdhip64.so.6"
    subprocess.run(["clang-22", "-shared", "-x", "c", "/dev/null", "-o", other], check=True)
    ran = python(f"import ctypes, wavesmith; ctypes.CDLL('{other}'); wavesmith.use('mi300x')")
    assert f"another HIP runtime, {other}" in ran.stderr and "before the client is imported" in ran.stderr


@pytest.mark.parametrize("version", [5, 6, 7])
def test_a_client_of_an_older_hip_gets_its_version(python: Python, version: int) -> None:
    ran = python(f"""
import ctypes, wavesmith
wavesmith.use("mi300x", hip={version}, quiet=True)
number = ctypes.c_int()
ctypes.CDLL("libamdhip64.so.{version}").hipRuntimeGetVersion(ctypes.byref(number))
print(number.value // 10_000_000)
""")
    assert ran.stdout == f"{version}\n", ran.stderr


def run_command(*words: str) -> subprocess.CompletedProcess[str]:
    command = [str(_paths.command()), "run", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_run_says_which_gpu_is_emulated_unless_it_shall_be_quiet() -> None:
    ran = run_command("--gpu", "mi355x:2,mi210", "--", "true")
    assert ran.stderr == "wavesmith: emulating 2 x AMD Instinct MI355X (gfx950), AMD Instinct MI210 (gfx90a)\n"
    assert run_command("--quiet", "--gpu", "mi355x", "--", "true").stderr == ""
    assert "no GPU 'mi3'" in run_command("--gpu", "mi3", "--", "true").stderr


def test_use_under_run_only_checks() -> None:
    def program(text: str) -> subprocess.CompletedProcess[str]:
        return run_command("--gpu", "mi355x:2", "--", sys.executable, "-c", "import wavesmith; " + text)

    ran = program("wavesmith.use(); print(wavesmith.used())")
    assert ran.stdout == "mi355x:2\n"
    assert ran.stderr.count("emulating") == 1
    assert program("wavesmith.use('mi355x', count=2)").returncode == 0
    assert "has 'mi355x:2' (wavesmith run) and cannot have 'mi300x'" in program("wavesmith.use('mi300x')").stderr
