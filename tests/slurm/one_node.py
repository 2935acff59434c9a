"""A Slurm of one node on this machine for the time of a block, with its own munged, slurmctld and slurmd.

All its files are in one folder. It listens only on 127.0.0.1 and on ports that were free. So a Slurm that
already runs on this machine is neither used nor disturbed.
"""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

PACKAGES = ("munge", "slurm-client", "slurmctld", "slurmd")
DAEMONS = ("munged", "slurmctld", "slurmd")
COMMANDS = ("sbatch", "scancel", "scontrol", "sinfo", "squeue", "srun")
CPUS = 8
# With config_overrides, more processors may be declared than there are.
CONFIGURATION = """\
ClusterName=onebox
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SlurmdParameters=config_overrides
MinJobAge=36000
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
NodeName=localhost NodeAddr=127.0.0.1 CPUs={cpus} RealMemory=32000 State=UNKNOWN
PartitionName=debug Nodes=localhost Default=YES MaxTime=INFINITE State=UP
"""


def install() -> None:
    """Install Slurm and munge from the packages of the distribution if they are missing. Start nothing."""
    if os.getuid() != 0:
        sys.exit("test-slurm: root is needed, to start slurmd")
    if all(shutil.which(program) for program in DAEMONS + COMMANDS):
        return
    if not shutil.which("apt-get"):
        sys.exit(f"test-slurm: {', '.join(DAEMONS)} are needed; install Slurm and munge")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for words in (("update", "-qq"), ("install", "-qq", "--no-install-recommends", *PACKAGES)):
        subprocess.run(["apt-get", "-y", *words], env=environment, check=True, stdout=subprocess.DEVNULL)


@contextmanager
def one_node(folder: Path) -> Iterator[dict[str, str]]:
    """Start the three daemons, yield an environment in which Slurm's commands reach them, and end them."""
    for name in ("state", "spool"):
        (folder / name).mkdir()
    key = folder / "munge.key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o600)
    configuration = folder / "slurm.conf"
    configuration.write_text(CONFIGURATION.format(folder=folder, cpus=CPUS, ports=_free_ports(2)))
    environment = _environment(folder / "bin", configuration)
    munge = {name: folder / f"munge.{name}" for name in ("socket", "pid", "log", "seed")}
    commands = {
        "munged": [
            "--foreground", "--force", f"--key-file={key}", f"--socket={munge['socket']}",
            f"--pid-file={munge['pid']}", f"--log-file={munge['log']}", f"--seed-file={munge['seed']}",
        ],
        "slurmctld": ["-D", "-c"],
        "slurmd": ["-D", "-N", "localhost"],
    }  # fmt: skip
    ready = {
        "munged": munge["socket"].exists,
        "slurmctld": lambda: "UP" in _output(["scontrol", "ping"], environment),
        "slurmd": lambda: "idle" in _output(["sinfo", "--noheader", "--format=%t"], environment).split(),
    }
    with ExitStack() as running:
        for name, words in commands.items():
            with (folder / f"{name}.out").open("w") as log:
                daemon = subprocess.Popen(
                    [shutil.which(name) or name, *words], env=environment, stdout=log, stderr=log
                )
            running.callback(_end, daemon)
            wait_until(ready[name], lambda daemon=daemon: daemon.poll() is None, f"{name} (see {folder})")
        yield environment


def _environment(folder: Path, configuration: Path) -> dict[str, str]:
    """Return an environment whose Slurm commands read this configuration.

    Scripts on the PATH set SLURM_CONF for each command, because jobs inherit PATH but lose SLURM_CONF.
    """
    folder.mkdir()
    for command in COMMANDS:
        script = folder / command
        script.write_text(f'#!/bin/sh\nSLURM_CONF="{configuration}" exec "{shutil.which(command)}" "$@"\n')
        script.chmod(0o755)
    path = os.pathsep.join((str(folder), os.environ["PATH"]))
    return {**os.environ, "PATH": path, "SLURM_CONF": str(configuration)}


def wait_until(done, alive, what: str) -> None:
    """Wait until `done()` is true. Exit if `alive()` is false before that."""
    while not done():
        if not alive():
            sys.exit(f"test-slurm: {what} ended too early")
        time.sleep(0.2)


def _end(daemon: subprocess.Popen) -> None:
    daemon.terminate()
    daemon.wait()


def _output(command: list[str], environment: dict[str, str]) -> str:
    return subprocess.run(command, env=environment, check=False, capture_output=True, text=True).stdout


def _free_ports(count: int) -> list[int]:
    with ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
