"""A store that speaks S3: the npm package s3rver in a folder of its own. It takes any signature of
version 4, so a door of ours stands before it, which checks them. Standard library only."""

import datetime
import hashlib
import hmac
import http.client
import http.server
import shutil
import threading
import urllib.parse
from pathlib import Path

from proxy import free_port, wait_for_port

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = ROOT / "build" / "content" / "node_modules" / "s3rver" / "bin" / "s3rver.js"
NAME, KEY, SECRET = "vigil", "S3RVER", "S3RVER"
PREFIX, SUFFIX = "X-Amz-", "._S3rver_object"


def missing():
    """Why there is none; empty: there is one."""
    if shutil.which("node") and PROGRAM.exists():
        return ""
    return f"needs s3rver: run {Path(__file__).parent}/install"


def refusal(method, target, host, now):
    """What is wrong with a presigned request; empty: nothing."""
    path, _, text = target.partition("?")
    query = dict(urllib.parse.parse_qsl(text, strict_parsing=bool(text)))
    if set(query) != {PREFIX + one for one in (
            "Algorithm", "Credential", "Date", "Expires", "SignedHeaders", "Signature")}:
        return "it is not signed"
    time = query[PREFIX + "Date"]
    begin = datetime.datetime.strptime(time, "%Y%m%dT%H%M%SZ").replace(tzinfo=datetime.timezone.utc)
    age_s = (now - begin).total_seconds()
    if not -60 <= age_s <= int(query[PREFIX + "Expires"]):
        return "it has expired"
    key, *scope = query[PREFIX + "Credential"].split("/")
    signed = "&".join(sorted(one for one in text.split("&") if "Signature=" not in one))
    canonical = "\n".join([method, path, signed, f"host:{host}", "", "host", "UNSIGNED-PAYLOAD"])
    secret = f"AWS4{SECRET}".encode()
    for part in scope:
        secret = hmac.digest(secret, part.encode(), "sha256")
    words = "\n".join(["AWS4-HMAC-SHA256", time, "/".join(scope),
                       hashlib.sha256(canonical.encode()).hexdigest()])
    right = hmac.new(secret, words.encode(), "sha256").hexdigest()
    return "" if key == KEY and right == query[PREFIX + "Signature"] else "its signature is wrong"


class Door(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def pass_on(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.seen.append((self.command, dict(self.headers)))
        why = refusal(self.command, self.path, self.headers["Host"],
                      datetime.datetime.now(datetime.timezone.utc))
        if why:
            return self.reply(403, why.encode())
        link = http.client.HTTPConnection("127.0.0.1", self.server.behind, timeout=120)
        link.request(self.command, self.path, body or None,
                     {"Content-Type": "application/octet-stream"})
        answer = link.getresponse()
        self.reply(answer.status, answer.read())
        link.close()

    do_GET = do_PUT = do_DELETE = pass_on

    def reply(self, status, body):
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if status != 204:
            self.wfile.write(body)

    def log_message(self, *_):
        pass


class Bucket:
    """One bucket, and who asked for what: `seen` has methods and headers."""

    def __init__(self, stage):
        self.stage = stage
        self.folder = stage.folder / "s3"
        self.port, self.behind = free_port(), free_port()
        self.key = stage.folder / "s3.key"
        self.key.touch(mode=0o600)
        self.key.write_text(f"{KEY}\n{SECRET}\n")
        self.seen = []
        self.door = None

    def start(self):
        self.stage.start("s3", [
            "node", PROGRAM, "-d", self.folder, "-a", "127.0.0.1", "-p", self.behind,
            "--no-vhost-buckets", "--configure-bucket", NAME])
        wait_for_port(self.behind)
        self.door = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), Door)
        self.door.behind, self.door.seen = self.behind, self.seen
        self.door.handle_error = lambda *_: None  # a client that was killed
        threading.Thread(target=self.door.serve_forever, daemon=True).start()

    def stop(self):
        if self.door:
            self.door.shutdown()
            self.door.server_close()

    def config(self):
        return {"endpoint": f"http://127.0.0.1:{self.port}", "bucket": NAME,
                "access_key_file": str(self.key)}

    def kept(self):
        """The objects' files, by name."""
        found = (self.folder / NAME).glob("*" + SUFFIX)
        return {one.name.removesuffix(SUFFIX): one for one in found}

    def count(self, method):
        return [one for one, _ in self.seen].count(method)
