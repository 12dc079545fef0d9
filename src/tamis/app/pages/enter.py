"""The way in: a token that is good once becomes a cookie."""

from __future__ import annotations

from http import HTTPStatus

from tamis.app.guard import Guarded

#: Leads on by the page itself: a cookie of SameSite=Strict is not sent along a redirect that began at a file.
_ON = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Tamis</title>'
    '<meta http-equiv="refresh" content="0; url=/"><p><a href="/">Continue</a></p></html>\n'
)


class Enter(Guarded):
    """Takes a token, once."""

    def prepare(self) -> None:
        self.refuse_foreign_host()

    def get(self) -> None:
        """Let the browser in that has the token."""
        if not self.folder.admits(self.get_query_argument("token", "")):
            self.refuse(HTTPStatus.UNAUTHORIZED, "this invitation was used already, or is none: type `tamis app` again")
        self.set_cookie(self.cookie_name, self.settings["app_session"], httponly=True, samesite="Strict", path="/")
        self.write(_ON)
