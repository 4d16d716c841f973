"""The pytest plugin: each test once per GPU, reported as always."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import pytest

pytestmark = pytest.mark.representative

TESTS = """
import os, warnings
import pytest

def test_gpu(wavesmith_gpu):
    import ctypes, wavesmith
    count = ctypes.c_int()
    assert ctypes.CDLL("libamdhip64.so.7").hipGetDeviceCount(ctypes.byref(count)) == 0
    assert [one.id for one in wavesmith.machine(wavesmith_gpu)] == [wavesmith_gpu.partition(":")[0]] * count.value

@pytest.mark.parametrize("size", [1, 2])
def test_size(size):
    print("size", size)
    assert size == 1 or os.environ["WAVESMITH_GPU"] != "mi210"

@pytest.mark.skip(reason="not now")
def test_skipped(): pass

@pytest.mark.xfail
def test_expected(): assert False

def test_warning(): warnings.warn("look here")
"""


@pytest.fixture(autouse=True)
def own_process(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests may run under `wavesmith run` or the plugin themselves."""
    for name in ("WAVESMITH_RUN", "WAVESMITH_GPU", "WAVESMITH_PYTEST_GPU", "WAVESMITH_PYTEST_PIPE", "LD_PRELOAD"):
        monkeypatch.delenv(name, raising=False)
    pytester.makepyfile(test_it=TESTS)


def run(pytester: pytest.Pytester, *words: str) -> pytest.RunResult:
    return pytester.runpytest_subprocess("-p", "no:cacheprovider", *words, timeout=100)


def test_each_test_runs_once_per_gpu_and_is_reported_as_always(pytester: pytest.Pytester) -> None:
    result = run(pytester, "--wavesmith-gpu", "mi300x,mi210", "-v", "--durations=3", "--junitxml=out.xml")
    result.assert_outcomes(passed=7, failed=1, skipped=2, xfailed=2, warnings=2)
    result.stdout.fnmatch_lines(
        [
            "wavesmith: each test once on mi300x, mi210",
            "test_it.py::test_gpu[[]mi300x] PASSED*",
            "test_it.py::test_size[[]2-mi300x] PASSED*",
            "test_it.py::test_size[[]2-mi210] FAILED*",
            "*test_size[[]2-mi210]*",
            "size 2",
            "*UserWarning: look here*",
            "*slowest 3 durations*",
            "FAILED test_it.py::test_size[[]2-mi210]*",
        ]
    )
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    cases = ElementTree.parse(pytester.path / "out.xml").getroot().iter("testcase")
    names = [case.get("name") for case in cases]
    assert len(names) == 12 and "test_size[2-mi210]" in names and "test_gpu[mi300x]" in names


def test_stopping_at_the_first_failure_stops_all_gpus(pytester: pytest.Pytester) -> None:
    result = run(pytester, "--wavesmith-gpu", "mi210,mi300x", "-x")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*stopping after 1 failures*"])


def test_tests_are_selected_by_name_and_by_gpu(pytester: pytest.Pytester) -> None:
    run(pytester, "--wavesmith-gpu", "mi300x,mi210", "-k", "size and mi300x").assert_outcomes(passed=2, deselected=10)
    run(pytester, "--wavesmith-gpu", "mi300x,mi210", "test_it.py::test_size[1-mi210]").assert_outcomes(passed=1)
    nothing = run(pytester, "--wavesmith-gpu", "mi300x", "-k", "nothing")
    assert nothing.ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_what_failed_last_is_known_by_gpu(pytester: pytest.Pytester) -> None:
    def run(*words: str) -> pytest.RunResult:
        return pytester.runpytest_subprocess("--wavesmith-gpu", "mi300x,mi210", "-v", *words, timeout=100)

    run().assert_outcomes(passed=7, failed=1, skipped=2, xfailed=2, warnings=2)  # test_size[2-mi210]
    again = run("--lf")
    again.assert_outcomes(failed=1)
    again.stdout.fnmatch_lines(["test_it.py::test_size[[]2-mi210] FAILED*"])
    first = run("--ff")
    first.assert_outcomes(passed=7, failed=1, skipped=2, xfailed=2, warnings=2)
    on_mi210 = [line for line in first.outlines if line.startswith("test_it.py::") and "mi210] " in line]
    assert on_mi210[0].startswith("test_it.py::test_size[2-mi210] FAILED"), on_mi210
    # Where it is right again, nothing has failed last, so all of them run.
    pytester.makepyfile(test_it=TESTS.replace('!= "mi210"', "!= ''"))
    run("--lf").assert_outcomes(passed=1)
    # A file that cannot be read is read again.
    pytester.makepyfile(test_it="import nothing_of_that_name")
    run().assert_outcomes(errors=2)
    pytester.makepyfile(test_it=TESTS.replace('!= "mi210"', "!= ''"))
    run("--lf").assert_outcomes(passed=8, skipped=2, xfailed=2, warnings=2)


def test_stepwise_goes_on_at_the_gpu_and_test_that_failed(pytester: pytest.Pytester) -> None:
    def run(*words: str) -> pytest.RunResult:
        return pytester.runpytest_subprocess("--wavesmith-gpu", "mi300x,mi210,mi355x", "-v", *words, timeout=100)

    def ran(result: pytest.RunResult) -> list[str]:
        return [
            line.split("::")[1].split(" ")[0] for line in result.outlines if re.match(r"test_it.py::\S+ [A-Z]", line)
        ]

    first = run("--stepwise")
    # All of mi300x, then to test_size[2-mi210].
    first.assert_outcomes(passed=6, failed=1, skipped=1, xfailed=1, warnings=1)
    assert ran(first)[-1] == "test_size[2-mi210]"
    again = run("--stepwise")
    again.assert_outcomes(failed=1, deselected=2)
    assert ran(again) == ["test_size[2-mi210]"]
    # Passed over, the others follow.
    skipping = run("--stepwise-skip")
    skipping.assert_outcomes(passed=5, failed=1, skipped=2, xfailed=2, warnings=2, deselected=2)
    assert ran(skipping)[0] == "test_size[2-mi210]" and ran(skipping)[-1] == "test_warning[mi355x]"


def test_new_tests_come_first_on_each_gpu(pytester: pytest.Pytester) -> None:
    def run(*words: str) -> list[str]:
        result = pytester.runpytest_subprocess("--wavesmith-gpu", "mi300x,mi210", "-v", *words, timeout=100)
        return [line.split(" ")[0] for line in result.outlines if line.startswith("test_it.py::")]

    pytester.makepyfile(test_it="def test_a(): pass\ndef test_c(): pass\n")
    run()
    pytester.makepyfile(test_it="def test_a(): pass\ndef test_b(): pass\ndef test_c(): pass\n")
    order = ["test_b", "test_a", "test_c"]
    assert run("--nf") == [f"test_it.py::{name}[{gpu}]" for gpu in ("mi300x", "mi210") for name in order]


def test_a_machine_of_two_gpus_is_one_process(pytester: pytest.Pytester) -> None:
    result = run(pytester, "--wavesmith-gpu", "mi300x:2", "-v", "-k", "test_gpu")
    result.stdout.fnmatch_lines(["test_it.py::test_gpu[[]mi300x:2] PASSED*"])


def test_a_crash_fails_its_test_and_the_others_go_on(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it="import os\ndef test_a(): pass\ndef test_b(): os.abort()\ndef test_c(): pass\n")
    result = run(pytester, "--wavesmith-gpu", "mi300x", "-p", "no:faulthandler", "-v")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*the process for mi300x ended by signal 6 in this test*"])


def test_what_cannot_be_collected_is_an_error(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it="import nothing_of_that_name\n")
    result = run(pytester, "--wavesmith-gpu", "mi300x,mi210")
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(["*No module named 'nothing_of_that_name'*"])


def test_a_gpu_that_there_is_not_is_a_usage_error(pytester: pytest.Pytester) -> None:
    result = run(pytester, "--wavesmith-gpu", "mi3")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--wavesmith-gpu: no GPU 'mi3'; known are*mi300x*"])


def test_without_the_option_tests_run_here(pytester: pytest.Pytester) -> None:
    result = run(pytester, "-k", "gpu or skipped")
    result.assert_outcomes(passed=1, skipped=1, deselected=4)


def test_processes_of_xdist_share_a_gpus_tests(pytester: pytest.Pytester) -> None:
    pytest.importorskip("xdist")
    result = run(pytester, "--wavesmith-gpu", "mi300x,mi210", "-n", "2")
    result.assert_outcomes(passed=7, failed=1, skipped=2, xfailed=2, warnings=2)
