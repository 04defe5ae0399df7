"""The daemon and the worker say to their manager what systemd's units wait for: sd_notify's and
sd_listen_fds' protocols, played by this test. usage: systemd_test.py BUILD_FOLDER"""

import os
import socket
import subprocess
import sys
import tempfile
import unittest
import urllib.request
from pathlib import Path

BUILD = Path(sys.argv.pop(1)).resolve()
PATIENCE_S = 60


class Manager:
    """systemd's part: a socket that hears states, and one that listens in the service's place."""

    def __init__(self, folder):
        self.path = str(folder / "notify")
        self.heard = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.heard.bind(self.path)
        self.heard.settimeout(PATIENCE_S)
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port = self.listening.getsockname()[1]
        self.started = []

    def start(self, *command, sockets=False, stderr=subprocess.DEVNULL, **variables):
        # Only the process itself knows its number in time.
        shell = ["sh", "-c", 'LISTEN_PID=$$ exec "$@"', "sh"] if sockets else []
        descriptor = self.listening.fileno()

        def hand_over():
            os.dup2(descriptor, 3)

        self.started.append(subprocess.Popen(
            [*shell, *map(str, command)], stderr=stderr, close_fds=False,
            preexec_fn=hand_over if sockets else None,
            env={**os.environ, "NOTIFY_SOCKET": self.path, **variables}))
        return self.started[-1]

    def hear(self):
        return self.heard.recv(1000).decode()

    def hear_until(self, state):
        heard = []
        while not heard or heard[-1] != state:
            heard.append(self.hear())
        return heard

    def close(self):
        for process in self.started:
            process.kill()
            process.wait()
        self.heard.close()
        self.listening.close()


class Notified(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory(prefix="vigil-systemd-")
        self.folder = Path(self.place.name)
        self.folder.chmod(0o755)  # jobs of root's worker are another user
        self.manager = Manager(self.folder)
        self.addCleanup(self.place.cleanup)
        self.addCleanup(self.manager.close)

    def config(self, port):
        file = self.folder / "vigild.json"
        file.write_text('{"state_dir": "state", "http": {"address": "127.0.0.1", "port": %d}}'
                        % port)
        return file

    def end(self, process):
        process.terminate()
        self.assertEqual(process.wait(PATIENCE_S), 0)

    def test_the_daemon_says_that_it_is_ready_alive_and_ending(self):
        process = self.manager.start(BUILD / "vigild", "--config", self.config(0),
                                     WATCHDOG_USEC="200000")
        self.manager.hear_until("READY=1")
        self.assertEqual([self.manager.hear() for _ in range(3)], ["WATCHDOG=1"] * 3)
        process.terminate()
        self.manager.hear_until("STOPPING=1")
        self.assertEqual(process.wait(PATIENCE_S), 0)

    def test_the_daemon_that_nobody_watches_is_silent_once_it_is_ready(self):
        process = self.manager.start(BUILD / "vigild", "--config", self.config(0),
                                     WATCHDOG_USEC="200000", WATCHDOG_PID="1")
        self.assertEqual(self.manager.hear(), "READY=1")
        process.terminate()
        self.assertEqual(self.manager.hear(), "STOPPING=1")
        self.assertEqual(process.wait(PATIENCE_S), 0)

    def test_the_daemon_serves_on_the_socket_that_was_opened_for_it(self):
        # A caller who came before the daemon waits, and is answered.
        early = socket.create_connection(("127.0.0.1", self.manager.port), PATIENCE_S)
        early.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        process = self.manager.start(BUILD / "vigild", "--config", self.config(1), sockets=True,
                                     LISTEN_FDS="1")
        self.assertIn(b" 200 ", early.recv(100))
        early.close()
        with urllib.request.urlopen(f"http://127.0.0.1:{self.manager.port}/healthz") as answer:
            self.assertEqual(answer.status, 200)
        self.end(process)

    def test_the_daemon_refuses_a_second_socket(self):
        process = self.manager.start(BUILD / "vigild", "--config", self.config(1), sockets=True,
                                     LISTEN_FDS="2", stderr=subprocess.PIPE)
        said = process.communicate(timeout=PATIENCE_S)[1].decode()
        self.assertEqual(process.returncode, 1, said)
        self.assertIn("2 sockets", said)

    def test_the_worker_says_that_it_is_ready_and_alive_at_each_question(self):
        daemon = self.manager.start(BUILD / "vigild", "--config", self.config(0), sockets=True,
                                    LISTEN_FDS="1")
        self.manager.hear_until("READY=1")
        token = self.folder / "token"
        token.write_text("unknown")
        token.chmod(0o600)
        config = self.folder / "worker.json"
        config.write_text('{"server": "http://127.0.0.1:%d", "name": "w", "token_file": "%s", '
                          '"state_dir": "%s", "sandbox": "off", "allow_uncontained": true}'
                          % (self.manager.port, token, self.folder / "w"))
        worker = self.manager.start(BUILD / "vigil-worker", "--config", config)
        self.assertEqual([self.manager.hear(), self.manager.hear()], ["READY=1", "WATCHDOG=1"])
        self.assertEqual(worker.wait(PATIENCE_S), 1)  # its token is refused
        self.end(daemon)


if __name__ == "__main__":
    os.umask(0o077)
    unittest.main()
