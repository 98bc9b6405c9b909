"""``python -m overbar``: the command line."""

from __future__ import annotations

from overbar.cli import main

if __name__ == "__main__":
    main()
