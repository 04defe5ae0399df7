"""Accounting for the example cluster: slurmdbd and its MariaDB, on loopback, below the cluster's
folder, without systemd. Standard library only."""

import os
import pwd
import secrets
import shutil
import socket
import subprocess
from pathlib import Path

TEMPLATE = Path(__file__).resolve().parent / "slurmdbd.conf.in"
PROGRAMS = ("slurmdbd", "sacctmgr", "sacct", "mariadbd", "mariadb-install-db")
START = """CREATE DATABASE slurm;
CREATE USER slurm@'127.0.0.1' IDENTIFIED BY '{password}';
GRANT ALL ON slurm.* TO slurm@'127.0.0.1';
"""


def missing(path):
    """Of the programs, those that are not installed."""
    return [name for name in PROGRAMS if not shutil.which(name, path=path)]


def listens(port):
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


def start(cluster, port, database_port):
    """Starts MariaDB and slurmdbd. munged runs, and slurm.conf is written; the controller does not
    run yet. @return the lines of slurm.conf that turn the accounting on. Raises TimeoutError."""
    folder = cluster.folder / "accounting"
    folder.mkdir(mode=0o700)
    user = pwd.getpwuid(os.geteuid()).pw_name
    subprocess.run(
        ["mariadb-install-db", "--no-defaults", f"--user={user}", f"--datadir={folder}/data",
         "--auth-root-authentication-method=normal", "--skip-test-db"],
        check=True, capture_output=True)
    password = secrets.token_hex(16)
    write_secret(folder / "start.sql", START.format(password=password).encode())
    cluster.stage.start("mariadbd", [
        "mariadbd", "--no-defaults", f"--user={user}", f"--datadir={folder}/data",
        f"--socket={folder}/socket", f"--pid-file={folder}/mariadb.pid",
        "--bind-address=127.0.0.1", f"--port={database_port}", "--skip-name-resolve",
        f"--init-file={folder}/start.sql", "--innodb-buffer-pool-size=16M"])
    cluster.wait_for("MariaDB", lambda: listens(database_port))
    munge = cluster.folder / "munge" / "socket"
    # slurmdbd reads the file beside slurm.conf.
    write_secret(cluster.folder / "slurmdbd.conf", TEMPLATE.read_text().format(
        munge=munge, port=port, user=user, database_port=database_port, password=password,
        folder=folder).encode())
    cluster.stage.start("slurmdbd", ["slurmdbd", "-D"])
    cluster.wait_for("slurmdbd", lambda: listens(port))
    return (f"AccountingStorageType=accounting_storage/slurmdbd\n"
            f"AccountingStorageHost=127.0.0.1\nAccountingStoragePort={port}\n"
            f"AccountingStoragePass={munge}\n")


def write_secret(file, content):
    file.touch(mode=0o600)
    file.write_bytes(content)
    return file
