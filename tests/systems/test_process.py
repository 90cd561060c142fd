import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gate.errors import ConfigError
from gate.ports import SystemFailed
from gate.systems.process import MOST_ERRORS, UIDS, Command, Program, granted
from tests.programs import ROOT, open_folder, python

__all__ = ["open_folder"]

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can start programs as another user")

ECHO = "import sys\nfor line in sys.stdin: print(line.strip().upper(), flush=True)\n"


@contextmanager
def started(source: str, folder: Path, **environment: str) -> Iterator[Program]:
    command = python(source, folder)
    program = Program(Command(argv=command.argv, folder=folder, environment=environment))
    try:
        yield program
    finally:
        program.kill()


def ask(program: Program, line: bytes = b"go\n", seconds: float = 20) -> str:
    return program.exchange(line, seconds=seconds).decode()


def gone(process: int) -> bool:
    """Whether a process has ended, buried or not."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return True
    return "State:\tZ" in status


def wait_until_gone(process: int) -> bool:
    for _ in range(200):
        if gone(process):
            return True
        time.sleep(0.02)
    return False


def test_a_line_is_answered_with_a_line(open_folder: Path) -> None:
    with started(ECHO, open_folder) as program:
        assert ask(program, b"a\n") == "A"
        assert ask(program, b"b\n") == "B"
        assert program.alive


def test_lines_that_are_larger_than_any_pipe_go_through_both_ways(open_folder: Path) -> None:
    with started(ECHO, open_folder) as program:
        assert len(ask(program, b"x" * 10_000_000 + b"\n", seconds=60)) == 10_000_000


def test_two_answers_at_once_are_read_one_by_one(open_folder: Path) -> None:
    source = "import sys\nsys.stdin.readline()\nprint('one\\ntwo', flush=True)\nsys.stdin.read()\n"
    with started(source, open_folder) as program:
        assert [ask(program), ask(program)] == ["one", "two"]


def test_a_program_that_does_not_exist_says_so(open_folder: Path) -> None:
    with pytest.raises(SystemFailed, match=r"'nothing-here' cannot be started \(No such file") as caught:
        Program(Command(argv=("nothing-here",), folder=open_folder))
    assert caught.value.kind == "crash"


def test_a_program_that_hangs_is_killed_with_its_children(open_folder: Path) -> None:
    source = """
import subprocess, sys, time
sys.stdin.readline()
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print(child.pid, flush=True)
sys.stdin.readline()
time.sleep(600)
"""
    with started(source, open_folder) as program:
        child = int(ask(program))
        with pytest.raises(SystemFailed, match=r"did not answer within 0\.5 s") as caught:
            ask(program, seconds=0.5)
        assert caught.value.kind == "timeout"
        assert not program.alive
        assert wait_until_gone(child)


def test_a_child_that_left_the_session_is_killed_too(open_folder: Path) -> None:
    source = """
import os, subprocess, sys
sys.stdin.readline()
code = "import time; time.sleep(600)"
child = subprocess.Popen([sys.executable, "-c", code], start_new_session=True, stdout=subprocess.DEVNULL)
print(child.pid, flush=True)
sys.stdin.readline()
"""
    with started(source, open_folder) as program:
        child = int(ask(program))
        assert not gone(child)
        program.kill()
        assert wait_until_gone(child)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import sys; sys.stdin.readline(); sys.exit(3)", "ended with exit code 3 before it had answered"),
        ("import sys; sys.exit(0)", "ended with exit code 0 before it had answered"),
        ("import os, sys; sys.stdin.readline(); os.kill(os.getpid(), 9)", "was ended by signal 9"),
        ("import sys; sys.stdin.readline(); print('{\"id\":', end='', flush=True)", "ended with exit code 0"),
        ("import os, sys, time; sys.stdin.readline(); os.close(1); time.sleep(60)", "closed its output"),
        ("import os, sys, time; os.close(0); time.sleep(2)", "before it had answered"),
    ],
)
def test_a_program_that_ends_or_hangs_up_is_a_crash(open_folder: Path, source: str, said: str) -> None:
    with started(source, open_folder) as program:
        with pytest.raises(SystemFailed, match=said) as caught:
            ask(program, b"x" * 300_000 + b"\n")
        assert caught.value.kind == "crash"


def test_the_end_of_its_standard_error_is_kept_for_whoever_may_read_it(open_folder: Path) -> None:
    source = "import sys; sys.stdin.readline(); sys.stderr.write('x' * 100_000 + 'the reason'); sys.exit(1)"
    with started(source, open_folder) as program:
        with pytest.raises(SystemFailed) as caught:
            ask(program)
        assert caught.value.detail is not None
        assert caught.value.detail.endswith("the reason")
        assert len(caught.value.detail) <= MOST_ERRORS
        assert "the reason" not in caught.value.message


def test_a_program_that_talks_to_standard_error_for_ever_still_answers(open_folder: Path) -> None:
    source = """
import sys
for line in sys.stdin:
    sys.stderr.write("noise " * 100_000)
    print("answer", flush=True)
"""
    with started(source, open_folder) as program:
        assert [ask(program) for _ in range(3)] == ["answer"] * 3


def test_a_line_without_an_end_is_cut_off(open_folder: Path) -> None:
    source = "import sys\nsys.stdin.readline()\nwhile True: sys.stdout.write('x' * 1_000_000)\n"
    with started(source, open_folder) as program:
        with pytest.raises(SystemFailed, match="a line without an end") as caught:
            ask(program, seconds=60)
        assert caught.value.kind == "garbage"


def test_a_cancellation_while_waiting_kills_it(open_folder: Path) -> None:
    with started("import time; time.sleep(600)", open_folder) as program:
        # a shell may have started the tests in its background, where SIGINT is ignored
        signal.signal(signal.SIGINT, signal.default_int_handler)
        main = threading.get_ident()
        threading.Timer(0.5, lambda: signal.pthread_kill(main, signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            ask(program, seconds=30)
        assert not program.alive


def test_its_temporary_folder_is_its_own_and_goes_with_it(open_folder: Path) -> None:
    source = """
import os, sys, tempfile
sys.stdin.readline()
with open(os.path.join(os.environ["HOME"], "cache"), "w") as file: file.write("mine")
print(os.environ["HOME"], tempfile.gettempdir(), flush=True)
sys.stdin.readline()
"""
    with started(source, open_folder) as program:
        home, temporary = ask(program).split()
        assert home == temporary
        assert (Path(home) / "cache").read_text() == "mine"
        program.kill()
        assert not Path(home).exists()


def test_it_sees_nothing_of_our_environment_but_what_is_granted(
    open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "ghs_secret")
    source = (
        "import os, sys\nsys.stdin.readline()\nprint(*sorted(os.environ), flush=True)\nsys.stdin.readline()\n"
    )
    with started(source, open_folder, EMBEDDING_KEY="k") as program:
        names = ask(program).split()
    assert set(names) <= {"EMBEDDING_KEY", "GATE_SYSTEM", "HOME", "LANG", "TMPDIR", "LC_CTYPE"}
    assert "EMBEDDING_KEY" in names


SNOOP = """
import os, sys
sys.stdin.readline()
def attempt(action):
    try:
        return action()
    except OSError as error:
        return type(error).__name__
def append(path):
    with open(path, "a") as file: file.write("PATH=/evil")
    return "written"
seen = attempt(lambda: open(f"/proc/{os.getppid()}/environ", "rb").read())
print(seen if isinstance(seen, str) else "readable", attempt(lambda: append(sys.argv[1])), os.getuid(), flush=True)
sys.stdin.readline()
"""


@as_root
def test_it_can_neither_read_our_environment_nor_write_the_runners_files(open_folder: Path) -> None:
    github_env = open_folder / "GITHUB_ENV"
    github_env.write_text("")
    github_env.chmod(0o644)
    command = python(SNOOP, open_folder)
    program = Program(Command(argv=(*command.argv, str(github_env)), folder=open_folder))
    try:
        environ, write, uid = ask(program).split()
    finally:
        program.kill()
    assert (environ, write) == ("PermissionError", "PermissionError")
    assert int(uid) in UIDS
    assert github_env.read_text() == ""


@as_root
def test_two_programs_are_two_users_who_cannot_signal_each_other(open_folder: Path) -> None:
    source = """
import os, sys
for line in sys.stdin:
    try:
        os.kill(int(line), 9)
        print("killed", flush=True)
    except PermissionError:
        print("refused", os.getpid(), flush=True)
"""
    with started(source, open_folder) as one, started(source, open_folder) as two:
        assert ask(one, f"{os.getpid()}\n".encode()).startswith("refused")
        other = ask(two, f"{os.getpid()}\n".encode()).split()[1]
        assert ask(one, f"{other}\n".encode()).startswith("refused")
        assert two.alive


UNPRIVILEGED = """
import os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[3])
from gate.systems.process import Command, Program
os.setgroups([])
os.setgid(64_000)
os.setuid(64_000)
source = Path(sys.argv[1])
program = Program(Command(argv=(sys.argv[2], "-I", str(source), "/nowhere/GITHUB_ENV"), folder=source.parent))
print(program.exchange(b"go\\n", seconds=30).decode())
program.kill()
"""


@as_root
def test_also_without_root_our_environment_is_hidden(open_folder: Path) -> None:
    command = python(SNOOP, open_folder)
    arguments = [str(command.argv[-1]), command.argv[0], str(ROOT)]
    done = subprocess.run(
        [sys.executable, "-c", UNPRIVILEGED, *arguments], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["PermissionError", "FileNotFoundError", "64000"]


GRANTABLE = {"PATH": "/bin", "KEY": "k", "GITHUB_TOKEN": "ghs_0123456789", "INPUT_TOKEN": "ghs_input_token"}


def test_a_program_is_granted_path_and_what_is_named() -> None:
    assert granted(["KEY", "NOT_SET"], GRANTABLE) == {"PATH": "/bin", "KEY": "k"}


@pytest.mark.parametrize(
    "name",
    [
        "GITHUB_TOKEN",
        "GH_TOKEN",
        "GITHUB_ENV",
        "GITHUB_OUTPUT",
        "ACTIONS_RUNTIME_TOKEN",
        "INPUT_TOKEN",
        "GITHUB_STEP_SUMMARY",
        "GITHUB_STATE",
        "GITHUB_PATH",
        "ACTIONS_ID_TOKEN_REQUEST_URL",
    ],
)
def test_what_would_make_it_the_workflow_is_never_granted(name: str) -> None:
    with pytest.raises(ConfigError, match=f"the variable {name} is never handed"):
        granted(["KEY", name], GRANTABLE)


def test_our_token_is_not_granted_under_another_name_either() -> None:
    with pytest.raises(ConfigError, match="the variable MY_KEY is never handed"):
        granted(["MY_KEY"], {**GRANTABLE, "MY_KEY": "ghs_0123456789"})


def test_a_value_that_is_merely_short_is_no_secret() -> None:
    assert granted(["MODE"], {"INPUT_MODE": "fast", "MODE": "fast"}) == {"MODE": "fast"}


def finish(program: Program, seconds: float = 20, most: int = 1_000_000) -> tuple[int, bytes, str]:
    done = program.finish(seconds=seconds, most=most)
    return done.code, done.output, done.errors


def test_a_program_that_ends_by_itself_hands_over_everything_it_wrote(open_folder: Path) -> None:
    source = "import sys\nprint('a'); print('b')\nprint(sys.stdin.read(), file=sys.stderr)\nsys.exit(3)\n"
    with started(source, open_folder) as program:
        assert finish(program) == (3, b"a\nb\n", "\n")


def test_what_a_finished_program_left_behind_is_ended(open_folder: Path) -> None:
    source = (
        "import subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'],"
        " stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)\n"
        "print(child.pid)\n"
    )
    with started(source, open_folder) as program:
        assert wait_until_gone(int(finish(program)[1]))


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("import time\ntime.sleep(600)\n", "timeout"),
        ("import os, time\nos.close(1)\ntime.sleep(600)\n", "timeout"),
        ("while True: print('x' * 1000)\n", "garbage"),
    ],
)
def test_a_program_without_an_end_is_ended(open_folder: Path, source: str, kind: str) -> None:
    with started(source, open_folder) as program:
        with pytest.raises(SystemFailed) as failed:
            finish(program, seconds=20 if kind == "garbage" else 0.5, most=10_000)
        assert failed.value.kind == kind
        assert not program.alive


def test_what_is_told_of_its_standard_error_holds_none_of_the_secrets_it_was_granted(
    open_folder: Path,
) -> None:
    source = "import os, sys; sys.stdin.readline(); sys.exit('with ' + os.environ['MY_API_KEY'] + ': denied')"
    command = Command(
        argv=(*python("", open_folder).argv[:1], "-c", source),
        folder=open_folder,
        environment={"MY_API_KEY": "plain words 4711"},
    )
    program = Program(command)
    with pytest.raises(SystemFailed) as caught:
        program.exchange(b"{}\n", seconds=20)

    assert caught.value.detail == "with <redacted>: denied"
