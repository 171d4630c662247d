# SPDX-License-Identifier: GPL-2.0
"""A virtual machine that can be migrated: all its files are in its initramfs. Two NICs are the
ends of one wire; a shell inside obeys on a serial line."""

import json
import os
import re
import shutil
import socket
import subprocess
import time
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
PROGRAMS = ("ip", "rdma", "ibv_rc_pingpong")
# In the order of loading, as udev and request_module() would
MODULES = ("virtio_pci", "virtio_net", "ib_uverbs", "aesni_intel", "aes_generic", "ghash-generic",
           "gcm", "ctr", "hmac", "sha256_generic", "srnic")
PATIENCE = 600

INIT = """#!/bin/busybox sh
PATH=/bin
busybox mkdir -p /proc /sys /dev /run /tmp /applets
busybox mount -t proc proc /proc
busybox mount -t sysfs sys /sys
busybox mount -t devtmpfs dev /dev
busybox mount -t tmpfs tmpfs /run
busybox --install -s /applets
export PATH=/bin:/applets
while read -r module; do
	insmod "$module" || :
done </modules
ulimit -l unlimited
# Lines arrive as a whole: read of busybox forgets a part of one when a child ends (SIGCHLD)
stty raw icanon -echo -F /dev/ttyS1
exec </dev/ttyS1 >/dev/ttyS1 2>&1
echo "=0"
while read -r line; do
	eval "$line"
	echo "=$?"
done
"""


def output_of(*argv):
    return subprocess.run([*map(str, argv)], check=True, stdout=subprocess.PIPE, text=True).stdout


def kernel_folder():
    script = '. "$0/scripts/lib.sh"; kernel_dir stock'
    return Path(output_of("bash", "-c", script, REPO).strip()).resolve()


def install(root, source, name=None):
    """Copy a file and the libraries that it needs into the initramfs, under their names."""
    to = root / str(name or source).lstrip("/")
    if to.exists():
        return
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, to)
    libraries = subprocess.run(["ldd", source], check=False, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True).stdout
    for library in re.findall(r"(/\S+) \(0x", libraries):
        install(root, library)


def install_modules(root, stage, release):
    """Copy the modules and list them in the order in which they are loaded."""
    listed = []
    for module in MODULES:
        shown = output_of("modprobe", "-d", stage / "usr", "-S", release, "--show-depends", module)
        for path in re.findall(r"^insmod (\S+)", shown, re.M):
            if path not in listed:
                listed.append(path)
    (root / "modules").write_text("".join(f"/m/{Path(path).name}\n" for path in listed))
    (root / "m").mkdir()
    for path in listed:
        shutil.copy(path, root / "m")


def make_initramfs(folder):
    """Return (kernel, initramfs) with this build."""
    kernel = kernel_folder()
    # not the variables of the make that runs this test: O is another one for the kernel's
    own = {name: value for name, value in os.environ.items() if name != "MAKEFLAGS"}
    subprocess.run(["make", "-s", "-C", REPO, "guest-stock"], check=True,
                   stdout=subprocess.DEVNULL, env=own)
    stage, root = folder / "stage", folder / "root"
    subprocess.run([REPO / "scripts/stage", "stock", stage], check=True,
                   stdout=subprocess.DEVNULL)
    root.mkdir()
    install(root, shutil.which("busybox"), "bin/busybox")
    for name in PROGRAMS:
        install(root, shutil.which(name, path="/usr/sbin:/usr/bin:/sbin:/bin"), f"bin/{name}")
    for path in stage.rglob("*"):
        inside = path.relative_to(stage)
        if path.name == "srnic" and inside.parent.name == "bin":
            install(root, path, "bin/srnic")
        elif path.is_file() and ("libibverbs" in str(inside) or "libsrnic.so" in path.name):
            install(root, path, inside)
    install_modules(root, stage, (kernel / "release").read_text().strip())
    (root / "init").write_text(INIT)
    (root / "init").chmod(0o755)
    image = folder / "initramfs.cpio"
    subprocess.run("find . -print0 | cpio -0 -o -H newc --quiet", shell=True, check=True,
                   cwd=root, stdout=image.open("wb"))
    return kernel / "vmlinuz", image


class Line:
    """A socket of QEMU, read line by line."""

    def __init__(self, path):
        end = time.monotonic() + PATIENCE
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE)
        while True:
            try:
                self.socket.connect(str(path))
                break
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.1)
        self.file = self.socket.makefile("r", encoding="utf-8", errors="replace")

    def send(self, text):
        self.socket.sendall(text.encode() + b"\n")

    def __iter__(self):
        return iter(self.file.readline, "")


class Machine:
    """A life of the machine. Its packets are captured in `capture`."""

    def __init__(self, folder, name, image, state=None):
        self.capture = folder / f"{name}.pcap"
        self.log = folder / f"{name}.log"
        monitor, shell = folder / f"{name}.qmp", folder / f"{name}.sh"
        argv = ["qemu-system-x86_64", "-machine", "q35", "-accel", "tcg", "-smp", "1", "-m", "512M",
                "-cpu", "max,-erms,-fsrm,-la57", "-nodefaults", "-display", "none", "-no-reboot",
                "-kernel", image[0], "-initrd", image[1], "-append",
                "console=ttyS0 panic=-1 oops=panic mitigations=off no_timer_check norandmaps",
                "-device", "vmgenid,guid=auto",
                "-chardev", f"file,id=log,path={self.log}", "-serial", "chardev:log",
                "-chardev", f"socket,id=sh,path={shell},server=on,wait=off",
                "-serial", "chardev:sh", "-qmp", f"unix:{monitor},server=on,wait=off",
                "-object", f"filter-dump,id=dump,netdev=nic1,file={self.capture}"]
        for n in (1, 2):
            argv[-2:-2] = ["-netdev", f"hubport,id=nic{n},hubid=1", "-device",
                           f"virtio-net-pci,netdev=nic{n},mac=52:54:00:77:01:0{n},romfile="]
        if state:
            argv += ["-incoming", f"exec:cat {state}"]
        self.process = subprocess.Popen([*map(str, argv)], stdin=subprocess.DEVNULL)
        self.shell = Line(shell)
        self.monitor = Line(monitor)
        next(iter(self.monitor))
        self.order("qmp_capabilities")

    def order(self, command, **arguments):
        self.monitor.send(json.dumps({"execute": command, "arguments": arguments}))
        for line in self.monitor:
            answer = json.loads(line)
            if "error" in answer:
                raise RuntimeError(f"{command}: {answer['error']['desc']}")
            if "return" in answer:
                return answer["return"]
        raise RuntimeError(f"{command}: QEMU has ended")

    def until(self, command, *wanted):
        """Wait for a state; return it."""
        end = time.monotonic() + PATIENCE
        while (state := self.order(command).get("status")) not in wanted:
            if time.monotonic() > end:
                raise RuntimeError(f"{command}: {state}, not {wanted}")
            time.sleep(0.1)
        return state

    def answer(self):
        """Return (status, output) of the command that runs inside."""
        lines = []
        for line in self.shell:
            line = line.rstrip("\r\n")
            if re.fullmatch(r"=\d+", line):
                return int(line[1:]), "\n".join(lines)
            lines.append(line)
        raise RuntimeError(f"the machine has ended: {self.log}")

    def run(self, command):
        self.shell.send(command)
        return self.answer()

    def must(self, command):
        status, text = self.run(command)
        if status:
            raise RuntimeError(f"{command}: status {status}: {text}")
        return text

    def save(self, state):
        """Write the machine's state to a file; it stands still then."""
        self.order("migrate", uri=f"exec:cat > {state}")
        if self.until("query-migrate", "completed", "failed") == "failed":
            raise RuntimeError(f"no snapshot: {self.order('query-migrate')}")

    def end(self):
        self.process.kill()
        self.process.wait()
