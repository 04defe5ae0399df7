"""Debian's nginx with the example of deploy/nginx, in a folder of its own."""

import shutil
import socket
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "deploy" / "nginx" / "content.conf.in"

MAIN = """daemon off;
user root;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{}}
http {{
    access_log {folder}/access.log;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/content.conf;
}}
"""


def missing():
    """Why there is none; empty: there is one."""
    if shutil.which("nginx") or Path("/usr/sbin/nginx").exists():
        return ""
    return f"needs nginx: deploy/install {Path(__file__).parent}/packages.txt"


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait_for_port(port, limit_s=30):
    until = time.monotonic() + limit_s
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=5).close()
            return
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.05)


class Proxy:
    """Before a running daemon of `stage`."""

    def __init__(self, stage):
        self.stage = stage
        self.folder = stage.folder / "nginx"
        self.folder.mkdir()
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        text = EXAMPLE.read_text()
        for word, value in {"folder": self.folder / "cache", "listen": f"127.0.0.1:{self.port}",
                            "daemon": stage.url.removeprefix("http://")}.items():
            text = text.replace(f"@{word}@", str(value))
        (self.folder / "content.conf").write_text(text)
        (self.folder / "nginx.conf").write_text(MAIN.format(folder=self.folder))

    def start(self):
        nginx = shutil.which("nginx") or "/usr/sbin/nginx"
        self.stage.start("nginx", [nginx, "-p", self.folder, "-c", self.folder / "nginx.conf",
                                   "-e", self.folder / "error.log"])
        wait_for_port(self.port)

    def stop(self):
        child = self.stage.children["nginx"]
        child.terminate()
        child.wait()

    def kept(self):
        """Its files of content."""
        return [one for one in (self.folder / "cache").rglob("*") if one.is_file()]
