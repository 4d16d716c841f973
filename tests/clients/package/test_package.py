"""What pip installs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from conftest import BUILD, ROOT, Python

#: What every Linux has (PEP 600); nothing else may be needed.
SYSTEM = {
    "libc.so.6",
    "libm.so.6",
    "libstdc++.so.6",
    "libgcc_s.so.1",
    "ld-linux-x86-64.so.2",
    "libdl.so.2",
    "libpthread.so.0",
}


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as pip would unpack it."""
    prefix = tmp_path_factory.mktemp("installed")
    subprocess.run(
        ["cmake", "--install", BUILD, "--component", "python", "--prefix", prefix, "--strip"],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    for path in (ROOT / "python" / "wavesmith").rglob("*.py"):
        target = prefix / path.relative_to(ROOT / "python")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    return prefix


def needed(path: Path) -> set[str]:
    ran = subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=True)
    return set(re.findall(r"\(NEEDED\).*\[(.*)\]", ran.stdout))


@pytest.mark.representative
def test_nothing_outside_the_package_is_needed(installed: Path) -> None:
    libraries = installed / "wavesmith" / "lib"
    names = {path.name for path in libraries.rglob("lib*.so*")}
    for name in ("libamdhip64.so", "libamdhip64.so.5", "libamdhip64.so.6", "libamdhip64.so.7", "libhiprtc.so"):
        assert name in names
    files = [path for path in installed.rglob("*") if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"]
    assert len(files) > len(names)
    for path in files:
        assert needed(path) - SYSTEM <= names, path
    assert not [path for path in installed.rglob("*") if path.is_symlink()], "a wheel holds no links"


@pytest.mark.representative
def test_it_is_small_and_has_the_runtime_once(installed: Path, tmp_path: Path) -> None:
    large = [path.name for path in (installed / "wavesmith" / "lib").rglob("lib*.so*") if path.stat().st_size > 5 << 20]
    assert large == ["libamdhip64.so.7"]
    wheel = tmp_path / "wheel.zip"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in installed.rglob("*"):
            archive.write(path, path.relative_to(installed))
    assert wheel.stat().st_size <= 80e6


@pytest.mark.representative
@pytest.mark.parametrize("version", [5, 6, 7])
def test_all_names_of_the_runtime_are_one_copy(python: Python, installed: Path, version: int) -> None:
    ran = python(
        f"""
import ctypes, pathlib, wavesmith
wavesmith.use("mi300x", hip={version}, quiet=True)
assert str(pathlib.Path(wavesmith.__file__).parent).startswith("{installed}")
calls = set()
for name in ("libamdhip64.so.{version}", "libamdhip64.so.7", "libamdhip64.so"):
    library = ctypes.CDLL(name)
    number = ctypes.c_int()
    library.hipRuntimeGetVersion(ctypes.byref(number))
    assert number.value // 10_000_000 == {version}, (name, number.value)
    calls.add(ctypes.cast(library.hipMalloc, ctypes.c_void_p).value)
assert len(calls) == 1
print(len({{line.split()[-1] for line in open("/proc/self/maps") if "libamdhip64.so.7" in line}}))
""",
        package=installed,
    )
    assert ran.stdout == "1\n", ran.stderr


@pytest.mark.representative
@pytest.mark.parametrize("major", [5, 6, 7])
def test_a_program_linked_to_an_older_name_runs_under_the_installed_command(
    installed: Path, tmp_path: Path, major: int
) -> None:
    source = tmp_path / "program.c"
    source.write_text(
        "int hipRuntimeGetVersion(int*); int printf(const char*, ...);\n"
        'int main(void) { int v = 0; hipRuntimeGetVersion(&v); printf("%d\\n", v / 10000000); return 0; }\n'
    )
    # As ROCm's release of that number: a library of that soname with versioned symbols.
    stub = tmp_path / f"libamdhip64.so.{major}"
    (tmp_path / "stub.c").write_text("int hipRuntimeGetVersion(int* v) { return 1; }\n")
    (tmp_path / "stub.map").write_text("hip_4.2 { global: hipRuntimeGetVersion; local: *; };\n")
    build = ["clang-22", "-fuse-ld=lld"]
    script = f"-Wl,--version-script={tmp_path / 'stub.map'}"
    subprocess.run(
        [*build, "-shared", "-fPIC", tmp_path / "stub.c", f"-Wl,-soname,{stub.name}", "-o", stub, script],
        check=True,
    )
    program = tmp_path / "program"
    subprocess.run([*build, source, stub, "-o", program], check=True)
    ran = subprocess.run(
        [installed / "wavesmith" / "bin" / "wavesmith", "run", "--quiet", "--gpu", "mi300x", "--", program],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.stdout == f"{major}\n", ran.stderr


@pytest.mark.representative
def test_the_installed_command_compiles_programs_that_run(installed: Path, tmp_path: Path) -> None:
    command = installed / "wavesmith" / "bin" / "wavesmith"
    (tmp_path / "count.cpp").write_text(
        '#include <cstdio>\nextern "C" int hipGetDeviceCount(int*);\n'
        'int main() { int n = 0; hipGetDeviceCount(&n); std::printf("%d\\n", n); }\n'
    )
    subprocess.run([command, "cc", tmp_path / "count.cpp", "-o", tmp_path / "count"], check=True, timeout=60)
    ran = subprocess.run(
        [command, "run", "--quiet", "--gpu", "mi210:3", "--", tmp_path / "count"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert ran.stdout == "3\n"


@pytest.mark.representative
def test_the_installed_command_finds_the_headers_of_packages_beside_it(installed: Path) -> None:
    include = installed / "triton" / "backends" / "amd" / "include"
    (include / "hip").mkdir(parents=True)
    (include / "hip" / "hip_version.h").write_text("#define HIP_VERSION_MAJOR 7\n#define HIP_VERSION_MINOR 9\n")
    (installed / "wavesmith" / "py.typed").touch()
    command = [installed / "wavesmith" / "bin" / "wavesmith", "cc", "--doctor"]
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(installed)}
    ran = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment, check=False)
    assert str(include) in ran.stdout, ran.stdout


@pytest.mark.representative
def test_the_kernel_library_is_in_it(python: Python, installed: Path) -> None:
    libraries = installed / "wavesmith" / "lib"
    assert (libraries / "libwavesmith_kernels.so.0").exists()
    targets = {path.stem for path in (libraries / "kernels").glob("*.co")}
    assert targets == {"gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1151", "gfx1201"}
    program = """
import numpy, wavesmith
wavesmith.use("mi355x", quiet=True)
one = numpy.eye(70, dtype="f2")
assert (wavesmith.kernels.gemm(one, one) == one).all()
print({line.split()[-1] for line in open("/proc/self/maps") if "libwavesmith_kernels" in line})
"""
    ran = python(program, package=installed)
    assert ran.stdout == f"{{'{libraries / 'libwavesmith_kernels.so.0'}'}}\n", ran.stderr
    command = [installed / "wavesmith" / "bin" / "wavesmith", "kernels", "gemm"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 0 and "gfx1201" in ran.stdout, ran.stderr


@pytest.mark.representative
def test_importing_loads_neither_numpy_nor_the_runtime(python: Python) -> None:
    ran = python("""
import sys, wavesmith
loaded = {"numpy", "ctypes", "wavesmith._native", "wavesmith._module"} & set(sys.modules)
print(loaded, "libamdhip64" in open("/proc/self/maps").read())
print(sorted(set(wavesmith.__all__) - set(dir(wavesmith))), all(hasattr(wavesmith, name) for name in wavesmith.__all__))
""")
    assert ran.stdout == "set() False\n[] True\n", ran.stderr


@pytest.mark.representative
def test_the_console_script_is_the_command(python: Python) -> None:
    ran = python("import sys; sys.argv = ['wavesmith', 'gpus']; from wavesmith._command import main; main()")
    assert ran.returncode == 0 and "mi355x" in ran.stdout


@pytest.mark.representative
def test_the_package_is_typed() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml", "--cache-dir", BUILD / "mypy"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout


@pytest.mark.representative
def test_the_package_is_tidy() -> None:
    ran = subprocess.run(
        [
            sys.executable,
            "-m",
            "ruff",
            "check",
            "--no-cache",
            "python",
            "tests/clients/package",
            "bench",
            "tools/python_tree",
        ],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout


@pytest.mark.skipif("SKIP_WHEEL" in os.environ, reason="SKIP_WHEEL is set")
def test_pip_makes_a_wheel_that_installs_elsewhere(tmp_path: Path) -> None:
    """Minutes, from a cold cache."""
    # Without PYTHONPATH, by which pip would see a build folder's package and take the wheel for installed.
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "WAVESMITH", "LD_"))}
    subprocess.run([sys.executable, "-m", "pip", "wheel", "--no-deps", "-w", tmp_path, ROOT], env=clean, check=True)
    (wheel,) = tmp_path.glob("wavesmith-*.whl")
    assert wheel.stat().st_size <= 80e6
    shown = subprocess.run(
        [sys.executable, "-m", "auditwheel", "show", wheel], capture_output=True, text=True, check=True
    )
    assert re.search(r'"manylinux_2_\d+_x86_64"', shown.stdout), shown.stdout
    environment = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    subprocess.run([environment / "bin" / "pip", "install", "--no-deps", "--no-index", wheel], env=clean, check=True)
    ran = subprocess.run(
        [environment / "bin" / "wavesmith", "gpus"], capture_output=True, text=True, env=clean, check=True
    )
    assert "mi355x" in ran.stdout
    program = "import wavesmith; wavesmith.use('mi355x'); print(len(wavesmith.gpus()))"
    subprocess.run([environment / "bin" / "python", "-c", program], env=clean, cwd=tmp_path, check=True)
