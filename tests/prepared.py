"""The command line without its start: a process that has imported everything forks for each call.

Importing takes most of the time of a short command. :func:`program` is the path of an `overbar`
that gets all a command can get (arguments, folder, environment, and the three streams themselves),
and leaves with the same code. Not for what is about the start: imports, encodings, signals.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import gc
import importlib
import json
import os
import select
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

#: What commands import late, as far as it takes long and is there.
LATE = (
    "duckdb", "narwhals._arrow.dataframe", "narwhals._duckdb.dataframe", "pandas",
    "pyarrow.parquet", "pydantic.type_adapter", "rich.progress", "scipy.special", "overbar.cli",
)  # fmt: skip
CLIENT = """#!{python} -IS
import json, os, socket, sys
here = socket.socket(socket.AF_UNIX)
here.connect({address!r})
asked = {{"arguments": sys.argv[1:], "folder": os.getcwd(), "environment": dict(os.environ)}}
socket.send_fds(here, [b"!"], [0, 1, 2])
here.sendall(json.dumps(asked).encode() + b"\\n")
sys.exit(int(here.makefile().read() or 255))
"""


@functools.cache
def program() -> str:
    """Return the path of an `overbar`, which lasts as long as this process."""
    folder = tempfile.mkdtemp(prefix="overbar")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    address, path = f"{folder}/socket", Path(folder, "overbar")
    path.write_text(CLIENT.format(python=sys.executable, address=address))
    path.chmod(0o755)
    server = subprocess.Popen(
        [sys.executable, "-P", __file__, address],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    atexit.register(server.communicate)  # closes its input, which ends it
    assert server.stdout is not None
    assert server.stdout.readline() == b"ready\n"
    return str(path)


def _asked(listener: socket.socket) -> list[str]:
    """Fork for each call; return its arguments in the fork, which is as if just started."""
    while listener in select.select([listener, sys.stdin], [], [])[0]:
        call, _ = listener.accept()
        if not os.fork():
            break
        call.close()
        with contextlib.suppress(ChildProcessError):  # let those go that have answered
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
    else:
        sys.exit()  # nobody is there any more
    listener.close()
    _, streams, *_ = socket.recv_fds(call, 1, 3)
    asked = json.loads(call.makefile().readline())
    child = os.fork()
    if child:
        for stream in (*streams, 0, 1, 2):
            os.close(stream)
        _, status = os.waitpid(child, 0)
        with contextlib.suppress(OSError):  # nobody waits for it any more
            call.sendall(str(os.waitstatus_to_exitcode(status) % 256).encode())
        os._exit(0)
    call.close()
    for place, stream in enumerate(streams):
        os.dup2(stream, place)
        os.close(stream)
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    return ["overbar", *asked["arguments"]]


if __name__ == "__main__":
    for name in LATE:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    gc.freeze()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(sys.argv[1])
        listener.listen(64)
        print("ready", flush=True)
        sys.argv = _asked(listener)
    from overbar.cli import main

    try:
        main()
    except SystemExit as left:  # all but taking modules apart, which takes long
        atexit._run_exitfuncs()
        os._exit(left.code)
