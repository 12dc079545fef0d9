"""A file on its way in: its pieces go to the disk as they come, and only its content is looked at, never its name."""

from __future__ import annotations

import re
from http import HTTPStatus
from pathlib import Path

from tornado.web import stream_request_body

from tamis.app.pages.base import Page
from tamis.app.tables.format import shown_name
from tamis.app.tables.receive import MOST_BYTES, Receiver, TooLarge
from tamis.errors import TamisError

#: What an upload is called while it comes in.
PART = "upload.part"


@stream_request_body
class Upload(Page):
    """Receives one file; what becomes of it is for those who inherit."""

    receiver: Receiver | None = None
    excess: TooLarge | None = None
    upload_folder: Path

    def prepare(self) -> None:
        super().prepare()
        if self.request.method != "POST":
            return
        if self.request.headers.get("Content-Type", "") != "application/octet-stream":
            self.refuse(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "a file must be sent as application/octet-stream")
        announced = self.request.headers.get("Content-Length") or ""
        if announced and not re.fullmatch("[0-9]{1,18}", announced):
            self.refuse(HTTPStatus.BAD_REQUEST, "the length of what was sent is no number")
        self.name = shown_name(self.get_query_argument("name", "table"))
        self.upload_folder = self.make_place()
        self.request.connection.set_max_body_size(2 * self.max_bytes)  # type: ignore[union-attr]
        try:
            self.receiver = Receiver(self.upload_folder / PART, int(announced) if announced else None, self.max_bytes)
        except TooLarge as error:
            self.drop_place()
            self.excess = error
            if int(announced or 0) > 2 * self.max_bytes:
                self.refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, str(error))
        except TamisError:
            self.drop_place()
            raise

    @property
    def max_bytes(self) -> int:
        """The most bytes of an upload."""
        limit: int = self.settings.get("app_most_bytes", MOST_BYTES)
        return limit

    def make_place(self) -> Path:
        """The folder that the file goes to, made again."""
        raise NotImplementedError

    def drop_place(self) -> None:
        """Remove what was received."""
        raise NotImplementedError

    def data_received(self, chunk: bytes) -> None:
        """Write a piece; those beyond the limit are read and dropped, for a browser listens only when it has sent all.

        Beyond twice the limit the connection is cut.
        """
        if self.receiver is not None and self.excess is None:
            try:
                self.receiver.add(chunk)
            except TooLarge as error:
                self.receiver.close()
                self.receiver, self.excess = None, error
                self.drop_place()

    def received(self) -> Path:
        """The whole file."""
        if self.excess is not None:
            self.refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, str(self.excess))
        assert self.receiver is not None
        self.receiver.close()
        return self.upload_folder / PART

    def on_connection_close(self) -> None:
        """The browser went away: what came so far is dropped."""
        if self.receiver is not None:
            self.receiver.close()
            self.drop_place()
        super().on_connection_close()
