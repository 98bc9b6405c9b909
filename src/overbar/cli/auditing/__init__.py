"""What ``overbar audit`` shows: a table on the screen, a page, JSON."""

from __future__ import annotations

from overbar.cli.auditing.page import page
from overbar.cli.auditing.words import as_json, cells

__all__ = ["as_json", "cells", "page"]
