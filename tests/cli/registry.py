# SPDX-License-Identifier: Apache-2.0
"""A package server that can misbehave, and packages to put on it."""

import base64
import hashlib
import http.server
import io
import json
import tarfile
import threading
import zlib


class Registry(http.server.ThreadingHTTPServer):
    """Serves `files` by path. `moods[path]` lists how to answer the next requests for it, one word each:
    ok, truncate, corrupt, stall, slow, no-range, wrong-range, or a status such as 503; then it behaves."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files, self.moods, self.log = {}, {}, []
        self.closing = threading.Event()
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"

    def ranges(self, path):
        """The Range header of every request for a path, in order."""
        return [asked for requested, asked in self.log if requested == path]

    def close(self):
        self.closing.set()
        self.shutdown()
        self.server_close()

    def add_npm(self, name, version, files):
        """Puts a package of npm on the server; returns the path of its tarball."""
        tarball = tgz({f"package/{path}": content for path, content in files.items()})
        path = f"/{name}/-/{name}-{version}.tgz"
        self.files[path] = tarball
        integrity = "sha512-" + base64.b64encode(hashlib.sha512(tarball).digest()).decode()
        about = {"name": name, "version": version, "dist": {"tarball": self.url + path, "integrity": integrity,
                                                            "shasum": hashlib.sha1(tarball).hexdigest()}}
        self.files[f"/{name}"] = json.dumps(
            {"name": name, "dist-tags": {"latest": version}, "versions": {version: about}}).encode()
        return path


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        server, asked = self.server, self.headers.get("Range")
        path = self.path.split("?")[0]
        server.log.append((path, asked))
        moods = server.moods.get(path, [])
        mood = moods.pop(0) if moods else "ok"
        if path not in server.files or mood.isdigit():
            self.send_response(int(mood) if mood.isdigit() else 404)
            self.send_header("Content-Length", "5")
            self.end_headers()
            self.wfile.write(b"sorry")
            return
        content = server.files[path]
        first = int(asked.removeprefix("bytes=").rstrip("-")) if asked and mood != "no-range" else 0
        if first >= len(content):
            self.send_response(416)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        if mood == "wrong-range":
            first -= 1
        if mood == "corrupt":
            content = content[:-1] + bytes([content[-1] ^ 1])
        body = content[first:]
        self.send_response(206 if asked and mood != "no-range" else 200)
        if asked and mood != "no-range":
            self.send_header("Content-Range", f"bytes {first}-{len(content) - 1}/{len(content)}")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        half = len(body) // 2
        self.wfile.write(body[:half])
        if mood == "stall":
            self.server.closing.wait(20)
        if mood == "slow":
            self.server.closing.wait(1.2)
        if mood not in ("truncate", "stall"):
            self.wfile.write(body[half:])
        self.close_connection = True


def tgz(files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz", compresslevel=1) as tar:
        for path, content in files.items():
            info = tarfile.TarInfo(path)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return out.getvalue()


def deb(files):
    """A Debian package: an ar archive with a tarball in it."""
    members = {"debian-binary": b"2.0\n", "control.tar.gz": tgz({}),
               "data.tar.gz": tgz({f"./{path}": content for path, content in files.items()})}
    archive = b"!<arch>\n"
    for name, content in members.items():
        archive += f"{name:<16}{0:<12}{0:<6}{0:<6}{'100644':<8}{len(content):<10}`\n".encode()
        archive += content + b"\n" * (len(content) % 2)
    return archive


def png(width, height, rows):
    """An 8-bit RGB picture of the given rows of bytes."""
    def chunk(kind, body):
        return (len(body).to_bytes(4, "big") + kind + body +
                zlib.crc32(kind + body).to_bytes(4, "big"))
    header = width.to_bytes(4, "big") + height.to_bytes(4, "big") + bytes([8, 2, 0, 0, 0])
    pixels = zlib.compress(b"".join(b"\0" + row for row in rows), 1)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def idx(content, *extents):
    return bytes([0, 0, 8, len(extents)]) + b"".join(e.to_bytes(4, "big") for e in extents) + content
