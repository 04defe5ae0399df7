"""A small GitHub on this machine, for the demo and for tests: issues, comments, permissions, pull
requests and check runs with their state, and a webhook that tells of what people do.

    python3 serve_github.py --repository FOLDER [--port 0]

What programs ask for is as in GitHub's REST API, below /repos/OWNER/NAME. What people do in a
browser is a POST with a JSON object here:

    /people/permit   {"login": "ada", "permission": "write"}
    /people/hook     {"url": "http://127.0.0.1:8321/hooks/github", "secret": "..."}
    /people/comment  {"number": 1, "login": "ada", "body": "/vigil ack"}
    /people/pull     {"branch": "faster", "from": "stranger/name"}      opens one; from: of a fork
    /people/push     {"number": 2}                            its branch has moved
    /people/label    {"number": 2, "label": "vigil"}
    /people/unlabel  {"number": 2, "label": "vigil"}
    /people/close    {"number": 2}

and what they see is text: / and /OWNER/NAME/issues/1. It forgets everything when it ends, asks
nobody for a password, and listens on the loopback address only. Standard library only."""

import argparse
import http.server
import json
import subprocess
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.dont_write_bytecode = True
from fake_github import Github, Refused  # noqa: E402


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def reply(self, status, kind, body):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def reply_json(self, status, value):
        self.reply(status, "application/json", json.dumps(value).encode())

    def handle_one(self):
        github = self.server.github
        size = int(self.headers.get("Content-Length") or 0)
        text = self.rfile.read(size) if size else b""
        try:
            body = json.loads(text) if text else {}
            if self.path.startswith("/people/") and self.command == "POST":
                return self.reply_json(200, github.do(self.path[len("/people/"):], body))
            if not self.path.startswith(("/repos/", "/user")):
                return self.reply(200, "text/plain; charset=utf-8",
                                  github.page(self.path).encode())
            if not self.headers.get("User-Agent") or not self.headers.get("X-GitHub-Api-Version"):
                raise Refused(403, "the request needs a User-Agent and an API version")
            if not self.headers.get("Authorization"):
                raise Refused(401, "Requires authentication")
            return self.reply_json(*github.answer(self.command, self.path, body))
        except Refused as refused:
            return self.reply_json(refused.status, {"message": str(refused)})
        except (KeyError, TypeError, ValueError, subprocess.CalledProcessError) as error:
            return self.reply_json(422, {"message": f"cannot be done: {error!r}"})

    do_GET = do_POST = do_PATCH = handle_one

    def log_message(self, *_):
        pass


def serve(github, port=0):
    """@return the server, which serves on a thread of its own"""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    server.github = github
    github.url = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def main():
    parser = argparse.ArgumentParser(description="a small GitHub on this machine")
    parser.add_argument("--repository", required=True, help="folder of a git repository")
    parser.add_argument("--branch", default="main", help="that pull requests come into")
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    given = parser.parse_args()
    github = Github(folder=given.repository, branch=given.branch)
    serve(github, given.port)
    print(f"address={github.url}", flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
