"""The command line: builds the app, and reports errors as one line and an exit code.

Exit codes: 0 done, 1 a failed computation or verification, 2 wrong usage, 130 interrupted.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import re
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from urcx import __version__
from urcx.commands import table
from urcx.engine.memory import LIBRARIES, check_room, room
from urcx.errors import UrcxError, UsageError, printable
from urcx.reports.display.provenance import made_by

WELCOME = """\
urcx plays and solves the Royal Game of Ur, and measures how complex it is.

Try first:
  urcx play             a game in this terminal
  urcx explore          the same in the browser, with what every move is worth
  urcx solve -p 3       perfect play of the game of three pieces
  urcx ssc              how many states: every closed form beside those visited
  urcx gtc              how many games: the tree's size in every convention
  urcx verify           which published figures hold, and why others do not
  urcx --help           all commands
"""


class Command(TyperCommand):
    """A command, which begins only where memory suffices to load what computes."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command; raises `TooLargeError` if a limit of this process leaves too little."""
        if room() is not None:
            check_room(LIBRARIES["numpy"], "computing")
            # Each thread of OpenBLAS reserves 40 MB, or tries for ever; we have threads of our own.
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        return super().invoke(ctx)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write a section of the help for the arguments, and for each panel of options."""
        from urcx.commands.options import PANEL_OF, PANELS

        sections: dict[str, list[Any]] = {"Arguments": [], **{title: [] for title in PANELS}}
        for parameter in self.get_params(ctx):
            option = parameter.param_type_name == "option"
            title = PANEL_OF.get(parameter.name, "Method") if option else "Arguments"
            if record := parameter.get_help_record(ctx):
                # typer writes two spaces before a default
                sections[title].append((record[0], record[1].replace("  [", " [")))
        for title, records in sections.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


@functools.cache
def _made(name: str) -> Any:
    """Return the command that typer makes from its function."""
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command(name, cls=Command, rich_help_panel=table.GROUP_OF[name])(table.function(name))
    return typer.main.get_command(alone)


class Group(TyperGroup):
    """The group of all commands, each made when it is asked for; the help has sections."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands: Any = table.GROUP_OF  # by name

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002 - typer's signature
        """Return a command, None if there is none of this name."""
        return _made(cmd_name) if cmd_name in self.commands else None

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the commands, and the few options below them."""
        self.format_commands(ctx, formatter)
        command: Any = TyperCommand  # of whose options nothing else follows
        command.format_options(self, ctx, formatter)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - as above
        """Write a section of the help for each group; imports no command."""
        for group, commands in table.GROUPS.items():
            with formatter.section(group):
                formatter.write_dl([(name, line) for name, (_, line) in commands.items()])


MAX_MESSAGE = 600
WINDOWS = os.name == "nt"

app = typer.Typer(
    cls=Group,
    name="urcx",
    add_completion=True,
    invoke_without_command=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
)


@app.callback()
def start(
    context: typer.Context,
    *,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Play and solve the Royal Game of Ur and its relatives, and measure how complex they are.

    urcx COMMAND --help explains a command, with examples.
    """
    if version:
        typer.echo(f"urcx {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        from urcx.reports.display.output import say

        say(WELCOME)


def _refuse_blanks(arguments: list[str]) -> None:
    """Raise `UsageError` if an argument or an option's value is empty or blank.

    Shells make such arguments of variables that are not set. No option has a use for one, but some
    would take it for the current directory, or for no value at all.
    """
    for number, argument in enumerate(arguments, start=1):
        option, equals, value = argument.partition("=")
        if not argument.strip():
            before = arguments[number - 2] if number > 1 else ""
            where = before if before.startswith("-") else f"argument {number}"
            raise UsageError(f"{where} {argument!r}: is empty. Write a value, or leave it out")
        if equals and option.startswith("--") and not value.strip():
            raise UsageError(f"{option}={value!r}: is empty. Write a value, or leave it out")


def _with_plot_names(arguments: list[str]) -> list[str]:
    """Give ``--plot`` without a file the default COMMAND.svg in the current directory."""
    filled = []
    for k, argument in enumerate(arguments):
        bare = argument == "--plot" and (
            k + 1 == len(arguments) or arguments[k + 1].startswith("-")
        )
        command = next((word for word in arguments if not word.startswith("-")), "urcx")
        filled.append(f"--plot={command}.svg" if bare else argument)
    return filled


def _with_positions_last(arguments: list[str]) -> list[str]:
    """Move positions that begin with a hyphen after ``--``: they are not options."""
    if "--" in arguments:
        return arguments
    positions = [argument for argument in arguments if argument.startswith("-/")]
    others = [argument for argument in arguments if not argument.startswith("-/")]
    return [*others, "--", *positions] if positions else others


def _fail(message: str, code: int) -> NoReturn:
    """End with one line on stderr."""
    message = printable(" ".join(message.split()))  # it may quote untrusted text
    if len(message) > MAX_MESSAGE:  # it may quote long input
        message = f"{message[: MAX_MESSAGE // 2]} ... {message[-MAX_MESSAGE // 2 :]}"
    from urcx.reports.display.output import message as terminal_message

    sys.stderr.write(terminal_message(f"urcx: {message}") + "\n")
    raise SystemExit(code)


# typer does not export the class of its usage errors, but does export a subclass.
_ParserError: Any = typer.BadParameter.__base__
# Words of libraries that are imported, and what to say of a variable of theirs.
VARIABLES = {
    "Number of threads specified": "NUMBA_NUM_THREADS must be at least 1, or not set",
    "Key backend": "MPLBACKEND must be the name of a backend of matplotlib, or not set",
}


def _plain_words(message: str) -> str:
    """Rephrase the parser library's messages to say what to write."""
    # The second pattern matches the wording of older releases.
    return re.sub(
        r"Input should be a valid (integer|number)\b.*|'[^']*' is not a valid (integer|float)\b.*",
        lambda match: "write a whole number" if "integer" in match.groups() else "write a number",
        message,
    )


@functools.cache
def commands() -> Any:
    """Return the app as the library beneath runs it; made once, as that is slow."""
    return typer.main.get_command(app)


def _run(arguments: list[str]) -> int:
    """Run a command line and return its exit code; errors are raised.

    The app's own ``main`` is used only for shell completion: it would print errors in another
    format, and exit with 1 if the reader closes a pipe.
    """
    if "_URCX_COMPLETE" in os.environ:
        app(arguments, prog_name="urcx")
    command = commands()
    try:
        with command.make_context("urcx", arguments) as context:
            from urcx.reports.display.progress import compilation_shown

            with compilation_shown(" ".join(arguments)), made_by(arguments):
                command.invoke(context)
    except typer.Exit as finish:
        return int(finish.exit_code)
    except ValueError as error:
        for words, message in VARIABLES.items():
            if words in str(error):
                raise UsageError(message) from None
        raise
    finally:
        sys.stdout.flush()
    return 0


@contextlib.contextmanager
def _interrupted_if_ended() -> Iterator[None]:
    """Let what asks the process to end interrupt it as Ctrl-C does, so that nothing is left behind.

    What is ignored, as under nohup, stays so.
    """

    def interrupt(_number: int, _frame: object) -> NoReturn:
        raise KeyboardInterrupt

    before = {}
    if threading.current_thread() is threading.main_thread():
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)  # Windows has no SIGHUP
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                before[number] = signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run a command line (``sys.argv`` by default) and exit."""
    arguments = sys.argv[1:] if arguments is None else arguments
    _open_streams()
    # Python refuses to write numbers of more than 4300 digits; what is read is checked elsewhere.
    sys.set_int_max_str_digits(0)
    try:
        _refuse_blanks(arguments)
        arguments = _with_positions_last(_with_plot_names(arguments))
        with _interrupted_if_ended():
            code = _run(arguments)
    except UrcxError as error:
        _fail(str(error), error.exit_code)
    except _ParserError as error:
        from urcx.commands.parsing import correction, see_help

        message = _plain_words(error.format_message().rstrip(".")) + see_help(error)
        _fail(correction(error, arguments) or message[:1].lower() + message[1:], error.exit_code)
    except KeyboardInterrupt:
        _fail("interrupted", 130)
    except (ImportError, MemoryError, OSError, RuntimeError) as error:
        _fail(_of_the_system(error), 1)
    raise SystemExit(code)


def _of_the_system(error: Exception) -> str:
    """Return what to say of what the system does not give; raises any other error again."""
    number = getattr(error, "errno", None)
    if isinstance(error, OSError):
        _discard_output()  # or Python would complain again at exit
        left_on_windows = WINDOWS and number == errno.EINVAL and error.filename is None
        if isinstance(error, BrokenPipeError) or left_on_windows:  # the reader has left
            raise SystemExit(0) from None
    no_thread = "can't start new thread" in str(error)
    if isinstance(error, MemoryError) or no_thread or number == errno.ENOMEM:
        limited = "" if room() is None else ", or raise the limit of this process (ulimit -v)"
        return f"not enough memory for this; take fewer pieces{limited}"
    ours = isinstance(error, ImportError) and str(error.name).partition(".")[0] == "urcx"
    if ours or not isinstance(error, ImportError | OSError):
        raise error
    if isinstance(error, ImportError) or number is None:
        return f"a library cannot be loaded; is it there, and does memory suffice? {error}"
    if number == errno.ENOENT and not error.filename:
        return "the current directory has been deleted: change to another with cd"
    what = f"cannot open {error.filename}" if error.filename else "cannot write the output"
    return f"{what}: {error.strerror or error}"


def _open_streams() -> None:
    """Open standard streams that were closed before the start, and let all accept any text.

    Nothing is read from them, messages are discarded, and a result is refused as what is open for
    reading alone refuses it.
    """
    closed = (
        ("stdin", "r", os.O_RDONLY),
        ("stdout", "w", os.O_RDONLY),
        ("stderr", "w", os.O_WRONLY),
    )
    for name, mode, flags in closed:
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, flags), mode, encoding="utf-8"))
        _make_writable(getattr(sys, name))


def _make_writable(stream: Any) -> None:
    """Let a standard stream accept any text, as the same bytes on all systems if it is a pipe.

    Characters that a terminal or locale does not have are written as escapes. Windows would write
    pipes and files in a legacy encoding, with other line ends.
    """
    if not hasattr(stream, "reconfigure"):  # not a stream of Python's own
        return
    if WINDOWS and not stream.isatty() and "PYTHONIOENCODING" not in os.environ:
        stream.reconfigure(encoding="utf-8", newline="\n" if stream.writable() else None)
    if stream.writable():
        stream.reconfigure(errors="backslashreplace")


def _discard_output() -> None:
    """Discard what is still buffered for stdout."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
