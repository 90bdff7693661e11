"""The command line: build the app, and report errors as one line and an exit code.

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
  urcx play             play a game in this terminal
  urcx explore          play in the browser, and see the value of every move
  urcx solve -p 3       solve the game of three pieces
  urcx ssc              count the states, by every formula and by visiting them
  urcx gtc              count the possible games, in every convention
  urcx verify           check the published figures
  urcx --help           list all commands
"""


class Command(TyperCommand):
    """A command, which starts only if there is enough memory to load the numerical libraries."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command, or raise `TooLargeError` if this process's memory limit is too low."""
        if room() is not None:
            check_room(LIBRARIES["numpy"], "computing")
            # Each OpenBLAS thread reserves 40 MB, or retries forever. urcx has its own threads.
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        return super().invoke(ctx)

    def sections(self, ctx: Any) -> dict[str, list[tuple[str, str]]]:
        """Return the lines of each section of the help: arguments, and panels of options."""
        from urcx.commands.options import PANEL_OF, PANELS

        sections: dict[str, list[Any]] = {"Arguments": [], **{title: [] for title in PANELS}}
        for parameter in self.get_params(ctx):
            title = "Arguments"
            if parameter.param_type_name == "option":
                own = getattr(parameter, "rich_help_panel", None)
                title = own or PANEL_OF.get(parameter.name, "Method")
            if record := parameter.get_help_record(ctx):
                # typer writes two spaces before a default
                sections[title].append((record[0], record[1].replace("  [", " [")))
        return {title: records for title, records in sections.items() if records}

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the sections of the help."""
        for title, records in self.sections(ctx).items():
            with formatter.section(title):
                formatter.write_dl(records)


@functools.cache
def _build_command(name: str) -> Any:
    """Return the command that typer makes from its function."""
    single = typer.Typer(add_completion=False, rich_markup_mode=None)
    single.command(name, cls=Command, rich_help_panel=table.GROUP_OF[name])(table.function(name))
    return typer.main.get_command(single)


class Group(TyperGroup):
    """The group of all commands, each made on first use. Its help has sections."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands: Any = table.GROUP_OF  # by name

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002 - typer's signature
        """Return a command, or None if no command has this name."""
        return _build_command(cmd_name) if cmd_name in self.commands else None

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the commands, and the few general options below them."""
        self.format_commands(ctx, formatter)
        command: Any = TyperCommand  # TyperGroup's method would write the commands again
        command.format_options(self, ctx, formatter)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - as above
        """Write a section of the help for each group, without importing commands."""
        for group, commands in table.GROUPS.items():
            with formatter.section(group):
                if group == table.RESEARCH:
                    formatter.write_text(", ".join(commands))
                else:
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
    """Play and solve the Royal Game of Ur and related games, and measure how complex they are.
    urcx COMMAND --help explains a command, with examples.
    """  # noqa: D205 - one paragraph of the help
    if version:
        typer.echo(f"urcx {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        from urcx.reports.display.output import say

        say(WELCOME)


def _refuse_blanks(arguments: list[str]) -> None:
    """Raise `UsageError` if an argument or an option's value is empty or blank.

    Shells make such arguments from variables that are not set. No option needs one, but some would
    read it as the current directory, or as no value.
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
    """Add the default file, COMMAND.svg in the current directory, to ``--plot`` without a file."""
    filled = []
    for k, argument in enumerate(arguments):
        bare = argument == "--plot" and (
            k + 1 == len(arguments) or arguments[k + 1].startswith("-")
        )
        command = next((word for word in arguments if not word.startswith("-")), "urcx")
        filled.append(f"--plot={command}.svg" if bare else argument)
    return filled


def _with_positions_last(arguments: list[str]) -> list[str]:
    """Move positions that begin with a hyphen after ``--``, so they are not read as options."""
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
# Words in the errors of libraries about an environment variable, and our message instead.
VARIABLES = {
    "Number of threads specified": "NUMBA_NUM_THREADS must be at least 1, or not set",
    "Key backend": "MPLBACKEND must be the name of a backend of matplotlib, or not set",
}


def _plain_words(message: str) -> str:
    """Rephrase messages of the parser library to name the right kind of value."""
    # The second pattern matches the wording of older releases.
    return re.sub(
        r"Input should be a valid (integer|number)\b.*|'[^']*' is not a valid (integer|float)\b.*",
        lambda match: "write an integer" if "integer" in match.groups() else "write a number",
        message,
    )


@functools.cache
def commands() -> Any:
    """Return the app as click runs it. It is made only once, because that is slow."""
    return typer.main.get_command(app)


def _run(arguments: list[str]) -> int:
    """Run a command line and return its exit code. Errors are raised.

    The app's own ``main`` only serves shell completion, because it prints errors in another
    format, and exits with 1 if the reader closes a pipe.
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
    """Let a signal that ends the process raise `KeyboardInterrupt`, so it cleans up like Ctrl-C.

    Signals that are ignored, for example under nohup, stay ignored.
    """

    def interrupt(_number: int, _frame: object) -> NoReturn:
        raise KeyboardInterrupt

    old_handlers = {}
    if threading.current_thread() is threading.main_thread():
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)  # Windows has no SIGHUP
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                old_handlers[number] = signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number, handler in old_handlers.items():
            signal.signal(number, handler)


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run a command line (``sys.argv`` by default) and exit."""
    arguments = sys.argv[1:] if arguments is None else arguments
    _open_streams()
    # Python refuses to write integers of more than 4300 digits. Inputs have limits elsewhere.
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
        _fail(_system_message(error), 1)
    raise SystemExit(code)


def _system_message(error: Exception) -> str:
    """Return a message for a failure of the system, or raise any other error again."""
    number = getattr(error, "errno", None)
    if isinstance(error, OSError):
        _discard_output()  # or Python would complain again at exit
        reader_left_on_windows = WINDOWS and number == errno.EINVAL and error.filename is None
        if isinstance(error, BrokenPipeError) or reader_left_on_windows:
            raise SystemExit(0) from None
    no_thread = "can't start new thread" in str(error)
    if isinstance(error, MemoryError) or no_thread or number == errno.ENOMEM:
        limit = "" if room() is None else ", or raise the memory limit of this process (ulimit -v)"
        return f"not enough memory for this. Take fewer pieces{limit}"
    ours = isinstance(error, ImportError) and str(error.name).partition(".")[0] == "urcx"
    if ours or not isinstance(error, ImportError | OSError):
        raise error
    if isinstance(error, ImportError) or number is None:
        return f"a library cannot be loaded. Is it installed, and is there enough memory? {error}"
    if number == errno.ENOENT and not error.filename:
        return "the current directory has been deleted. Change to another with cd"
    failure = f"cannot open {error.filename}" if error.filename else "cannot write the output"
    return f"{failure}: {error.strerror or error}"


def _open_streams() -> None:
    """Open standard streams that were closed before the start, and let all accept any text.

    Such an input is empty, and messages are discarded. Writing a result fails, because its stream
    is opened for reading only.
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
    """Let a standard stream accept any text. Pipes get the same bytes on all systems.

    Characters that a terminal or locale lacks are written as escapes. By default Windows would
    write pipes and files in a legacy encoding, with other line ends.
    """
    if not hasattr(stream, "reconfigure"):  # not one of Python's own streams
        return
    if WINDOWS and not stream.isatty() and "PYTHONIOENCODING" not in os.environ:
        stream.reconfigure(encoding="utf-8", newline="\n" if stream.writable() else None)
    if stream.writable():
        stream.reconfigure(errors="backslashreplace")


def _discard_output() -> None:
    """Discard what is still buffered for stdout."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
