"""`wavesmith.check` and `pytest --wavesmith-check`: faults of kernels, from Python."""

from __future__ import annotations

import numpy as np
import pytest

import wavesmith

pytestmark = pytest.mark.representative

SOURCE = """
#include <hip/hip_runtime.h>
extern "C" __global__ void reversed(int* x, int waves) {
  if (threadIdx.x / warpSize >= waves) return;
  __shared__ int kept[128];
  kept[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = kept[64 * waves - 1 - threadIdx.x];
}
"""

PLUGIN = f'''
import numpy as np
import pytest
import wavesmith

SOURCE = """{SOURCE}"""

@pytest.mark.parametrize("waves", [1, 2])
def test_reversed(waves):
    x = np.arange(128, dtype=np.int32)
    wavesmith.run(wavesmith.cc(SOURCE), "reversed", grid=1, block=128, args=[x, waves])
    assert x[0] == 64 * waves - 1
'''


def reverse(waves: int) -> int:
    x = np.arange(128, dtype=np.int32)
    wavesmith.run(wavesmith.cc(SOURCE), "reversed", grid=1, block=128, args=[x, waves])
    return int(x[0])


def test_tells_faults_with_the_result() -> None:
    checked = wavesmith.check(reverse, 1, checks="sync")
    assert checked.result == 63
    assert not checked.ok
    assert checked.checks == ("sync",)
    assert checked.launches == 1
    (fault,) = checked.faults
    assert (fault.checker, fault.rule, fault.count) == ("sync", "barrier-without-all", 1)
    assert fault.parties[0].kernel == "reversed"
    assert fault.parties[0].instruction.startswith("s_barrier")
    assert "wave 1, which has ended" in str(checked)
    assert checked.rows()[0]["rule"] == "barrier-without-all"


def test_tells_nothing_of_a_kernel_that_is_right() -> None:
    checked = wavesmith.check(reverse, 2)
    assert checked.ok, checked
    assert checked.result == 127
    assert str(checked).startswith("nothing found in 1 launches (memory, race")


MARK = """
#include <hip/hip_runtime.h>
extern "C" __global__ void mark(int* x) { x[0] = 7; }
"""


def mark() -> None:
    wavesmith.run(wavesmith.cc(MARK), "mark", grid=1, block=64, args=[np.zeros(1, dtype=np.int32)])


def test_tells_writes_of_equal_values_on_request() -> None:
    assert wavesmith.check(mark, checks="race").ok
    (fault,) = wavesmith.check(mark, checks="race", equal_writes=True).faults
    assert (fault.rule, fault.severity) == ("lanes-same-value", "warning")
    assert wavesmith.check(mark, checks="race").ok


def test_refuses_checkers_that_there_are_not() -> None:
    with pytest.raises(wavesmith.BadInputError, match="no checker 'rice'"):
        wavesmith.check(reverse, 2, checks="rice")
    with pytest.raises(wavesmith.UseError, match="under way"):
        wavesmith.check(lambda: wavesmith.check(reverse, 2))
    assert wavesmith.check(reverse, 2, checks=["sync"]).ok


def test_fails_tests_in_which_something_is_found(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("WAVESMITH_RUN", "WAVESMITH_GPU", "WAVESMITH_PYTEST_GPU", "WAVESMITH_PYTEST_PIPE", "LD_PRELOAD"):
        monkeypatch.delenv(name, raising=False)
    pytester.makepyfile(test_it=PLUGIN)
    words = ("-p", "no:cacheprovider", "--wavesmith-check", "sync")
    result = pytester.runpytest_subprocess(*words, "--wavesmith-gpu", "mi300x", timeout=100)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*warning [[]sync/barrier-without-all[]]*", "*fix:*"])
    words = ("-p", "no:cacheprovider", "-k", "1", "--wavesmith-check", "race", "--wavesmith-equal-writes")
    result = pytester.runpytest_subprocess(*words, "--wavesmith-gpu", "mi300x", timeout=100)
    result.assert_outcomes(passed=1)
