"""One HTML file without anything outside of it: style and scripts as they are in `page/`, and the data, compressed, as text."""

from __future__ import annotations

import base64
import html
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hlo.tools.view.report import written

FOLDER = Path(__file__).parent / "page"

SCRIPTS = (
    "data.js",
    "elements.js",
    "syntax.js",
    "text_list.js",
    "graph_model.js",
    "graph_layout.js",
    "graph_view.js",
    "passes.js",
    "kernels.js",
    "memory.js",
    "profile.js",
    "search.js",
    "main.js",
)
"""In the order in which they are read."""

POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"
"""Browsers load nothing from elsewhere."""


def page(head: Any, chunks: Sequence[Any]) -> str:
    """The page's text. `head` and `chunks`: as `report_of` makes them."""
    parts = [
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{html.escape(head['title'])}</title>",
        f"<style>\n{_file('page.css')}</style>",
        "</head>",
        "<body>",
        _file("body.html"),
        *(
            f'<script type="text/plain" id="data-{name}">{_packed(value)}</script>'
            for name, value in [("head", head), *enumerate(chunks)]
        ),
        *(f"<script>\n{_file(name)}</script>" for name in SCRIPTS),
        "</body>",
        "</html>",
        "",
    ]
    return "\n".join(parts)


def _packed(value: Any) -> str:
    """JSON, deflated, in base64: letters that mean nothing in HTML."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return base64.b64encode(packer.compress(written(value)) + packer.flush()).decode()


def _file(name: str) -> str:
    return (FOLDER / name).read_text()
