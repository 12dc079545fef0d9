"""Who may ask for what: every answer of the app goes through here.

The server listens on 127.0.0.1 alone, but any page the user has open can send requests there, and a foreign name can
be made to point there. So a request must name one of two hosts exactly, carry the cookie of this user's browser and,
where it changes anything, come from the app's own page: its Origin, port included (cookies ignore ports), and a header
that no form of another page can send.
"""

from __future__ import annotations

import hmac
import json
import re
from html import escape
from http import HTTPStatus
from typing import Any, NoReturn

from tornado.web import Finish, RequestHandler

from tamis.app.folder import AppFolder
from tamis.errors import KindError, TamisError

#: Sent by the app's own script with every change.
HEADER, HEADER_VALUE = "X-Tamis-App", "1"

#: Nothing but the app's own files, nothing inline; nobody may show the app in a frame.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

#: The report runs its own scripts in an origin of its own, without the app's cookie, and only the app may frame it.
REPORT_POLICY = "sandbox allow-scripts allow-downloads; frame-ancestors 'self'"

_COMMON = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
    "Server": "Tamis",
}

_FOLDER = re.compile(
    r"'[^']*/(?:tables|studies|entry)/[0-9a-f]{16}[^']*'|(?<![\w'])/[^\s'\"]*/(?:tables|studies|entry)/[0-9a-f]{16}[^\s'\";,)]*"
)
_PLACE = re.compile(r"the file '[^']*/(?:tables|studies)/[0-9a-f]{16}/[^']*'")

_CHANGES = ("POST", "PUT", "PATCH", "DELETE")


class Guarded(RequestHandler):
    """A handler that answers only the user's own browser, showing the app's own pages."""

    #: The report may be framed by the app; nothing else may be by anybody.
    policy = POLICY

    def set_default_headers(self) -> None:
        for name, value in _COMMON.items():
            self.set_header(name, value)
        self.set_header("Content-Security-Policy", self.policy)
        if "frame-ancestors 'none'" in self.policy:
            self.set_header("X-Frame-Options", "DENY")

    def prepare(self) -> None:
        self.refuse_foreign_host()
        self.refuse_strangers()
        if self.request.method not in ("GET", "HEAD"):
            self.refuse_foreign_change()

    @property
    def folder(self) -> AppFolder:
        """The app's folder."""
        app_folder: AppFolder = self.settings["app_folder"]
        return app_folder

    @property
    def cookie_name(self) -> str:
        """One for each port: a cookie is sent to every port of a host."""
        return f"tamis-{self.settings['app_port']}"

    def refuse_foreign_host(self) -> None:
        """A name of somebody else that points at 127.0.0.1 is no name of the app."""
        if self.request.headers.get_list("Host") not in ([host] for host in self.settings["app_hosts"]):
            self.refuse(HTTPStatus.MISDIRECTED_REQUEST, "this is no address of Tamis")

    def refuse_strangers(self) -> None:
        """Without the cookie nothing is shown, and nothing that another page asks for."""
        if self.request.headers.get("Sec-Fetch-Site", "none") not in ("same-origin", "none"):
            self.refuse(HTTPStatus.FORBIDDEN, "another page asked for this")
        cookie = self.get_cookie(self.cookie_name) or ""
        if not hmac.compare_digest(cookie.encode(), self.settings["app_session"].encode()):
            self.refuse(
                HTTPStatus.UNAUTHORIZED, "this browser is not known to Tamis: close this tab and type `tamis app` again"
            )

    def refuse_foreign_change(self) -> None:
        """A change must come from the app's own page, by its own script."""
        if self.request.method not in _CHANGES:
            self.refuse(HTTPStatus.METHOD_NOT_ALLOWED, "this cannot be asked for")
        if self.request.headers.get_list("Origin") != [f"http://{self.request.headers['Host']}"]:
            self.refuse(HTTPStatus.FORBIDDEN, "another page asked for a change")
        if self.request.headers.get(HEADER) != HEADER_VALUE:
            self.refuse(HTTPStatus.FORBIDDEN, "a change must come from the page of Tamis itself")

    def refuse(self, status: int, sentence: str) -> NoReturn:
        """Answer with a sentence, and end."""
        self.set_status(int(status))
        self.say(sentence)
        raise Finish

    def say(self, sentence: str) -> None:
        """An error for people where a page was asked for, for the script where it asked."""
        if self.request.method == "GET" and "text/html" in self.request.headers.get("Accept", ""):
            self.set_header("Content-Type", "text/html; charset=UTF-8")
            self.write(
                '<!doctype html><html lang="en"><meta charset="utf-8"><title>Tamis</title>'
                '<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/static/app.css">'
                f'<main class="alone"><h1>Tamis</h1><p>{escape(_capital(sentence))}.</p></main></html>'
            )
        else:
            self.answer({"error": sentence})

    def answer(self, facts: Any) -> None:
        """Plain JSON."""
        self.set_header("Content-Type", "application/json; charset=UTF-8")
        self.write(json.dumps(facts, allow_nan=False).encode("utf-8", "surrogatepass"))

    def body(self) -> dict[str, Any]:
        """The JSON object that a change carries; anything else, JSON called text among it, is refused."""
        kind = self.request.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            self.refuse(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "a change must be sent as application/json")
        try:
            content = json.loads(self.request.body or b"{}")
        except (ValueError, RecursionError):
            content = None
        if not isinstance(content, dict):
            self.refuse(HTTPStatus.BAD_REQUEST, "what was sent is no JSON object")
        return content

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """An error in one sentence; what went wrong inside is for the terminal, not for the page."""
        error = kwargs.get("exc_info", (None, None, None))[1]
        if isinstance(error, (TamisError, KindError)):
            self.set_status(HTTPStatus.BAD_REQUEST)
            self.say(without_paths(str(error)))
            return
        messages = {
            HTTPStatus.BAD_REQUEST: "this request cannot be read",
            HTTPStatus.NOT_FOUND: "there is nothing at this address",
            HTTPStatus.METHOD_NOT_ALLOWED: "this cannot be asked for",
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "this is more than Tamis takes",
        }
        default = "Tamis met an error of its own; the terminal in which it was started says more"
        self.say(messages.get(HTTPStatus(status_code), default))

    def log_exception(self, typ: Any, value: Any, tb: Any) -> None:
        """Bad input is answered, not logged."""
        if not isinstance(value, (TamisError, KindError)):
            super().log_exception(typ, value, tb)


def without_paths(sentence: str) -> str:
    """An error without the place of an upload on the disk, which means nothing to who dropped it.

    >>> without_paths("the file '/home/me/app/tables/0123456789abcdef/table.csv' has no rows; give one")
    'the file has no rows; give one'
    >>> without_paths("results.json of '/home/me/app/studies/0123456789abcdef' is damaged; start over")
    "results.json of the app's folder is damaged; start over"
    """
    return _FOLDER.sub("the app's folder", _PLACE.sub("the file", sentence))


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
