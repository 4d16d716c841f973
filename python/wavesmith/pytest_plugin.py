"""pytest on emulated GPUs: `pytest --wavesmith-gpu mi300x,rx9070xt` runs each test once per GPU.

The GPUs of a process are fixed when the HIP runtime is loaded, so each GPU has a pytest process of its own, started by
`wavesmith run`. This one, the *controller*, collects nothing itself: it passes its command line on, and the *workers*'
reports come back through a pipe and are reported here as if the tests had run here, with the GPU in their ids:
`test_add.py::test_add[mi300x]`, `test_add.py::test_size[16-mi300x]`. So -x, --maxfail, --durations, --junitxml and exit
codes work as always, --lf and --ff know which test failed on which GPU, --stepwise goes on there, and --nf knows
which tests are new to a GPU; `-k mi300x` selects by GPU; ids with a GPU can be given as arguments. With
pytest-xdist, `-n` gives each GPU so many processes.

`pytest --wavesmith-check race,memory` checks the kernels that each test launches (`wavesmith.check`), and fails tests
in which something is found.

Tests can ask the fixture `wavesmith_gpu` where they run.
"""

from __future__ import annotations

import builtins
import json
import os
import re
import subprocess
import sys
import warnings
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any

import pytest

#: In workers: the GPU, and where reports go.
_GPU, _PIPE = "WAVESMITH_PYTEST_GPU", "WAVESMITH_PYTEST_PIPE"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The plugin's options."""
    group = parser.getgroup("wavesmith", "emulated AMD GPUs")
    group.addoption(
        "--wavesmith-check",
        metavar="CHECKS",
        help="check the kernels of each test: race,memory or all (wavesmith check --help lists them)",
    )
    group.addoption(
        "--wavesmith-equal-writes",
        action="store_true",
        help="with --wavesmith-check race: unordered writes of equal values to one place are races, too",
    )
    group.addoption(
        "--wavesmith-gpu",
        metavar="GPUS",
        help="each test once per emulated GPU: mi300x,rx9070xt (wavesmith gpus lists them); mi300x:2 is two",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """A controller leaves distribution over processes (pytest-xdist) to its workers, and those leave printing to it."""
    if os.environ.get(_GPU) and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Silence())
    if config.getoption("--wavesmith-gpu") and not os.environ.get(_GPU):
        if config.getoption("usepdb", False):
            raise pytest.UsageError("--pdb needs the test in this process: wavesmith run --gpu ID -- pytest --pdb")
        for name, value in (("numprocesses", None), ("dist", "no"), ("tx", [])):
            if hasattr(config.option, name):
                setattr(config.option, name, value)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Makes this process a controller, a worker, or neither."""
    gpu = os.environ.get(_GPU)
    if gpu and not hasattr(config, "workerinput"):  # else: pytest-xdist's worker, which reports to ours
        config.pluginmanager.register(_Worker(config, gpu), "wavesmith-worker")
    elif not gpu and (asked := config.getoption("--wavesmith-gpu")):
        config.pluginmanager.register(_Controller(config, _gpus(asked)), "wavesmith-controller")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Any:
    """Checks what the test launches, where --wavesmith-check asks for it."""
    checks = item.config.getoption("--wavesmith-check")
    if not checks:
        return (yield)
    from wavesmith._check import Checking

    with Checking(checks, item.config.getoption("--wavesmith-equal-writes")) as checking:
        result = yield
    checked = checking.checked()
    if not checked.ok:
        pytest.fail(str(checked), pytrace=False)
    return result


@pytest.fixture(scope="session")
def wavesmith_gpu() -> str:
    """The emulated GPU on which the test runs: "mi300x". Without --wavesmith-gpu: WAVESMITH_GPU, else an MI300X."""
    import wavesmith

    wavesmith.use()
    gpu = wavesmith.used()
    assert gpu is not None
    return gpu


def _gpus(asked: str) -> list[str]:
    """The machines between the commas. Raises pytest.UsageError for one that there is not."""
    import wavesmith

    gpus = list(dict.fromkeys(part.strip() for part in asked.split(",") if part.strip()))
    try:
        for gpu in gpus:
            wavesmith.machine(gpu)
    except wavesmith.Error as error:
        raise pytest.UsageError(f"--wavesmith-gpu: {error}") from None
    if not gpus:
        raise pytest.UsageError("--wavesmith-gpu names no GPU; write --wavesmith-gpu mi300x,rx9070xt")
    return gpus


def _with_gpu(nodeid: str, gpu: str) -> str:
    """The test's id with the GPU: "a.py::t[1]" becomes "a.py::t[1-mi300x]"."""
    if "::" not in nodeid:
        return nodeid
    return f"{nodeid[:-1]}-{gpu}]" if nodeid.endswith("]") else f"{nodeid}[{gpu}]"


def _without_gpu(argument: str, gpus: list[str], gpu: str) -> str | None:
    """An argument of the command line for this GPU's worker; None: it means another GPU's test."""
    if "::" in argument:
        for one in gpus:
            for form, rest in ((f"[{one}]", ""), (f"-{one}]", "]")):
                if argument.endswith(form):
                    return argument.removesuffix(form) + rest if one == gpu else None
    return argument


class _Silence:
    """Keeps a worker from printing: registered before the others are configured, so that it comes last."""

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        terminal = config.pluginmanager.get_plugin("terminalreporter")
        if terminal is not None:
            config.pluginmanager.unregister(terminal)


class _Worker:
    """Sends what happens to the controller, a line of JSON an event."""

    def __init__(self, config: pytest.Config, gpu: str) -> None:
        self._config, self._gpu = config, gpu
        self._pipe: IO[str] = os.fdopen(os.dup(int(os.environ[_PIPE])), "w")
        done = os.environ.get("WAVESMITH_PYTEST_DONE")
        self._done = set(json.loads(Path(done).read_text())) if done else set()
        cache = getattr(config, "cache", None)  # absent: -p no:cacheprovider
        self._failed_before = cache.get("cache/lastfailed", {}) if cache else {}
        # Files that the controller writes.
        if getattr(config.option, "xmlpath", None):
            config.option.xmlpath = None
        if not getattr(config.option, "numprocesses", None):
            # What plugins know a process by that reports to another one, since pytest-xdist.
            config.workerinput = {"workerid": gpu}  # type: ignore[attr-defined]

    def _send(self, **event: Any) -> None:
        self._pipe.write(json.dumps(event, default=str) + "\n")
        self._pipe.flush()

    def pytest_itemcollected(self, item: pytest.Item) -> None:
        item.extra_keyword_matches.add(self._gpu)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if item.nodeid not in self._done]

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._send(event="collected", count=len(session.items))

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        self._send(event="deselected", count=len(items))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if not report.passed or report.nodeid in self._failed_before:
            self._send_report("collectreport", report)

    def pytest_runtest_logstart(self, nodeid: str, location: tuple[str, int | None, str]) -> None:
        self._send(event="start", nodeid=nodeid, location=location)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._send_report("report", report)

    def pytest_runtest_logfinish(self, nodeid: str, location: tuple[str, int | None, str]) -> None:
        self._send(event="finish", nodeid=nodeid, location=location)

    def pytest_warning_recorded(
        self, warning_message: warnings.WarningMessage, when: str, nodeid: str, location: Any
    ) -> None:
        self._send(
            event="warning",
            category=warning_message.category.__name__,
            message=str(warning_message.message),
            filename=warning_message.filename,
            lineno=warning_message.lineno,
            when=when,
            nodeid=nodeid,
        )

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        # A process that reports to another one keeps no list for --nf, but this one's cache is its own.
        known = getattr(self._config.pluginmanager.get_plugin("nfplugin"), "cached_nodeids", None)
        cache = getattr(self._config, "cache", None)
        if known is not None and cache is not None and not self._config.option.collectonly:
            cache.set("cache/nodeids", sorted(str(one) for one in known))
        self._send(event="exit", code=int(exitstatus), why=str(session.shouldstop or ""))

    def pytest_internalerror(self, excrepr: Any) -> None:
        self._send(event="internal", text=str(excrepr))

    def _send_report(self, event: str, report: pytest.TestReport | pytest.CollectReport) -> None:
        data = self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
        self._send(event=event, data=data)


class _Controller:
    """Runs a worker for each GPU and reports what they say."""

    def __init__(self, config: pytest.Config, gpus: list[str]) -> None:
        self._config, self._gpus = config, gpus

    def pytest_report_header(self) -> str:
        return f"wavesmith: each test once on {', '.join(self._gpus)}"

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> bool:
        session.items = []
        return True  # the workers collect

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        for gpu in self._gpus:
            _Run(self._config, session, gpu, self._gpus).all()
        return True


class _Run:
    """One GPU's tests."""

    def __init__(self, config: pytest.Config, session: pytest.Session, gpu: str, gpus: list[str]) -> None:
        self._config, self._session, self._gpu, self._gpus = config, session, gpu, gpus
        self._done: list[str] = []
        self._running: tuple[str, Any] | None = None
        self._ended = False
        self._counted = False

    def all(self) -> None:
        """Runs them; after a crash, those that are left in a new process."""
        arguments = [
            one
            for argument in self._config.invocation_params.args
            if (one := _without_gpu(str(argument), self._gpus, self._gpu)) is not None
        ]
        named = [argument for argument in self._config.invocation_params.args if "::" in str(argument)]
        if named and not any("::" in argument for argument in arguments):
            return  # only tests of other GPUs are asked for
        if self._stepped_over():
            return  # --stepwise goes on with another GPU
        while not self._ended:
            before = len(self._done)
            if self._config.getoption("lf", False) and self._failed_before() == []:
                return  # only tests of other GPUs failed
            code = self._process(arguments)
            if self._ended:
                return
            how = f"with exit code {code}" if code >= 0 else f"by signal {-code}"
            if self._running is None:
                self._fail_collection(f"the pytest process for {self._gpu} ended {how} while no test ran")
                return
            self._fail_running(f"the process for {self._gpu} ended {how} in this test")
            if len(self._done) == before:
                return

    def _failed_before(self) -> list[str] | None:
        """What failed when these tests ran last and is still to be run on this GPU; None: nothing failed on any."""
        cache = getattr(self._config, "cache", None)
        failed = cache.get("cache/lastfailed", {}) if cache else {}
        here = (_without_gpu(nodeid, self._gpus, self._gpu) for nodeid in failed)
        return [nodeid for nodeid in here if nodeid is not None and nodeid not in self._done] if failed else None

    def _stepwise(self) -> tuple[str | None, str]:
        """The GPU at which --stepwise stopped last, None for none of these, and the test without its GPU."""
        options, cache = self._config.option, getattr(self._config, "cache", None)
        if cache is None or not options.stepwise or getattr(options, "stepwise_reset", False):
            return None, ""
        stopped = (cache.get("cache/stepwise", None) or {}).get("last_failed") or ""
        plain = ((gpu, _without_gpu(stopped, self._gpus, gpu)) for gpu in self._gpus)
        return next(((gpu, one) for gpu, one in plain if one not in (None, stopped)), (None, ""))

    def _stepped_over(self) -> bool:
        """Whether all of this GPU's tests had passed where --stepwise stopped last."""
        gpu, _ = self._stepwise()
        return gpu is not None and self._gpus.index(self._gpu) < self._gpus.index(gpu)

    def _own_cache(self) -> list[str]:
        """The option that gives the worker a cache in which ids are without GPU, for --lf, --ff and --stepwise."""
        if getattr(self._config, "cache", None) is None:
            return []
        folder = Path(str(self._config.cache.mkdir("wavesmith-" + re.sub(r"[^\w.+-]", "_", self._gpu))))
        entry = folder / "v" / "cache" / "lastfailed"  # where pytest keeps it, as JSON
        entry.parent.mkdir(parents=True, exist_ok=True)
        entry.write_text(json.dumps(dict.fromkeys(self._failed_before() or [], True)))
        gpu, stopped = self._stepwise()
        at = stopped if gpu == self._gpu and stopped not in self._done else None
        state = {"last_failed": at, "last_test_count": None, "last_cache_date_str": datetime.now().isoformat()}
        entry.with_name("stepwise").write_text(json.dumps(state))
        return ["-o", f"cache_dir={folder}"]

    def _process(self, arguments: list[str]) -> int:
        """One worker, to its end; its exit code."""
        import tempfile

        from wavesmith import _paths

        reader, writer = os.pipe()
        with tempfile.NamedTemporaryFile("w", suffix=".json") as done:
            json.dump(self._done, done)
            done.flush()
            environment = dict(os.environ)
            environment |= {_GPU: self._gpu, _PIPE: str(writer), "WAVESMITH_PYTEST_DONE": done.name}
            environment["PYTHONPATH"] = os.pathsep.join(
                part for part in (environment.get("PYTHONPATH"), str(Path(__file__).parent.parent)) if part
            )
            process = subprocess.Popen(
                [str(_paths.command()), "run", "--quiet", "--gpu", self._gpu, "--", sys.executable, "-m", "pytest"]
                + ([] if self._config.pluginmanager.hasplugin("wavesmith") else ["-p", "wavesmith.pytest_plugin"])
                + arguments
                + self._own_cache(),
                cwd=self._config.invocation_params.dir,
                env=environment,
                pass_fds=[writer],
                stdin=subprocess.DEVNULL,
            )
            os.close(writer)
            try:
                with os.fdopen(reader) as lines:
                    for line in lines:
                        self._take(json.loads(line))
                        if self._session.shouldfail:
                            raise self._session.Failed(self._session.shouldfail)
                        if self._session.shouldstop:
                            raise self._session.Interrupted(self._session.shouldstop)
                return process.wait()
            finally:
                if process.poll() is None:
                    process.terminate()
                    process.wait()

    def _take(self, event: dict[str, Any]) -> None:
        hook, gpu = self._config.hook, self._gpu
        match event["event"]:
            case "collected" if not self._counted:
                self._session.testscollected += event["count"]
                self._counted = True
            case "deselected" if not self._done:
                terminal = self._config.pluginmanager.get_plugin("terminalreporter")
                if terminal is not None:
                    # Other plugins look into what is counted (Hypothesis, at __dict__).
                    terminal.pytest_deselected(items=[SimpleNamespace()] * event["count"])
            case "start":
                self._running = (event["nodeid"], event["location"])
                if not self._counted:  # pytest-xdist counts for itself
                    self._session.testscollected += 1
                hook.pytest_runtest_logstart(nodeid=_with_gpu(event["nodeid"], gpu), location=event["location"])
            case "finish":
                self._running = None
                self._done.append(event["nodeid"])
                hook.pytest_runtest_logfinish(nodeid=_with_gpu(event["nodeid"], gpu), location=event["location"])
            case "report":
                report = self._report(event["data"])
                file, line, name = report.location
                report.location = (file, line, _with_gpu(f"::{name}", gpu).removeprefix("::"))
                hook.pytest_runtest_logreport(report=report)
            case "collectreport":
                collected = self._report(event["data"])
                collected.result = []  # what was found stays in the worker
                hook.pytest_collectreport(report=collected)
            case "warning":
                category = getattr(builtins, event["category"], UserWarning)
                message = warnings.WarningMessage(
                    category(event["message"]), category, event["filename"], event["lineno"]
                )
                hook.pytest_warning_recorded.call_historic(
                    kwargs={
                        "warning_message": message,
                        "when": event["when"],
                        "nodeid": _with_gpu(event["nodeid"], gpu),
                        "location": None,
                    }
                )
            case "internal":
                self._fail_collection(event["text"])
            case "exit":
                self._ended = True
                code = event["code"]
                if code == pytest.ExitCode.INTERRUPTED and not self._session.testsfailed:
                    raise self._session.Interrupted(event["why"] or f"the process for {gpu} was interrupted")

    def _report(self, data: dict[str, Any]) -> Any:
        data.pop("node", None)  # pytest-xdist's
        report = self._config.hook.pytest_report_from_serializable(config=self._config, data=data)
        report.nodeid = _with_gpu(report.nodeid, self._gpu) or self._gpu
        # JSON knows no tuples.
        if isinstance(report.longrepr, list):
            report.longrepr = tuple(report.longrepr)
        report.user_properties = [tuple(one) for one in getattr(report, "user_properties", [])]
        return report

    def _fail_running(self, text: str) -> None:
        """The test that ran when its process died."""
        assert self._running is not None
        nodeid, (file, line, name) = self._running
        location = (file, line, _with_gpu(f"::{name}", self._gpu).removeprefix("::"))
        self._running = None
        self._done.append(nodeid)
        named = _with_gpu(nodeid, self._gpu)
        report = pytest.TestReport(named, location, {}, "failed", text, "call")
        self._config.hook.pytest_runtest_logreport(report=report)
        self._config.hook.pytest_runtest_logfinish(nodeid=named, location=location)
        if self._session.shouldfail:
            raise self._session.Failed(self._session.shouldfail)

    def _fail_collection(self, text: str) -> None:
        self._ended = True
        report = pytest.CollectReport(self._gpu, "failed", text, [])
        self._config.hook.pytest_collectreport(report=report)


__all__ = ["wavesmith_gpu"]
