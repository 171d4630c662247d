#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""storage - measure NVMe over RDMA and NFS over RDMA on rxe and on srnic, in the clear and sealed.

Runs inside the VM (see `make bench B=storage`). All use the same wire, in turns, in one boot: fio
reads and writes 1 MiB at a time past the caches, from and to a file in memory.

Example:
    storage.py --out build/bench/storage.json --rounds 3 --contenders rxe,srnic
"""
import json
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

sys.dont_write_bytecode = True
from contenders import CONTENDERS, MTU                                  # noqa: E402
from options import add_choice, command_line                            # noqa: E402
from programs import Failed                                             # noqa: E402
from tables import leave, table                                         # noqa: E402

REPO = Path(__file__).resolve().parents[2]
NAMES = "rxe", "srnic", "srnic-aead"
GOAL = 2.0              # least ratio of srnic's rates to rxe's
MIB = 32                # size of the file

# Shell steps that make the file or disk TARGET available, and that remove it
CONSUMERS = {
    "NVMe-oF": (f"""needs_modules nvmet-rdma nvme-rdma
                nvme_disk {MIB}; TARGET=$DISK""",
                "nvme_no_disk"),
    "NFS": (f"""needs_modules nfsd rpcrdma nfsv4; nfs_server; nfs_mount; TARGET=$mounted/file
            truncate -s {MIB}M $TARGET""",
            "umount $mounted; nfs_no_server"),
}
FIO = f"fio --name=x --rw=$way --bs=1M --iodepth=8 --ioengine=libaio --direct=1 --size={MIB}M --time_based"


def session(name, consumer, args):
    """Return the rates of one consumer on one contender's devices, on a test bed of its own."""
    contender = CONTENDERS[name]
    policy = f"--policy require:{':'.join(contender.policy)}" if contender.policy else ""
    nic = f"--nic {args.nic}" if args.nic else ""
    begin, end = CONSUMERS[consumer]
    return run(f"""
        testbed up --type {contender.bed} --flat --mtu {MTU} {nic} {policy}
        {begin}
        for way in write read; do
            {FIO} --filename=$TARGET --runtime={args.seconds} --output-format=json --output=/run/test/$way
        done
        {end}
        testbed down""")


def run(words):
    script = f". {REPO}/tests/lib.sh; . {REPO}/tests/consumers.sh; {words}"
    ran = subprocess.run(["bash", "-c", script], text=True, capture_output=True, check=False, timeout=600)
    if ran.returncode:
        raise Failed(f"status {ran.returncode}: {ran.stdout}{ran.stderr}")
    return {way: read_fio(Path(f"/run/test/{way}"), way) for way in ("write", "read")}


def read_fio(path, way):
    """Return MiB a second. fio may print warnings before the JSON."""
    text = path.read_text()
    return json.loads(text[text.index("{"):])["jobs"][0][way]["bw_bytes"] / (1 << 20)


def measure(names, args):
    found = {consumer: {name: [] for name in names} for consumer in CONSUMERS}
    for _ in range(args.rounds):
        for consumer, runs in found.items():
            for name in names:
                rates = session(name, consumer, args)
                runs[name].append(rates)
                print(f"{consumer} on {name}: " + ", ".join(f"{way} {rate:.0f} MiB/s"
                                                           for way, rate in rates.items()), flush=True)
    return found


def rows(found):
    """Yield the cells of each consumer and direction."""
    for consumer, runs in found.items():
        for way in ("write", "read"):
            rates = {name: [one[way] for one in some] for name, some in runs.items()}
            middle = {name: median(some) for name, some in rates.items()}
            ratio = middle["srnic"] / middle["rxe"] if {"srnic", "rxe"} <= middle.keys() else None
            yield [f"{consumer}, {way}",
                   *(f"{middle[name]:.0f} ({min(some):.0f} to {max(some):.0f})"
                     for name, some in rates.items()),
                   f"{ratio:.2f}" if ratio else "",
                   "" if not ratio else f">= {GOAL}: {'met' if ratio >= GOAL else '**missed**'}"]


def arguments():
    ap = command_line(__doc__, 5)
    ap.add_argument("--seconds", type=int, default=3, help="how long a run lasts")
    add_choice(ap, "--contenders", NAMES)
    ap.add_argument("--nic", default="", help="virtio_net or vmxnet3, in place of a veth pair")
    return ap.parse_args()


def main():
    args = arguments()
    try:
        found = measure(args.contenders, args)
    except Failed as failed:
        sys.exit(f"storage: {failed}")
    date = time.strftime("%Y-%m-%d")
    head = ["MiB/s: median (least to most)", *args.contenders, "srnic / rxe", "goal"]
    text = "\n".join([
        "# NVMe and NFS over RDMA", "",
        f"Measured {date} by `make bench B=storage`: one boot, {args.nic or 'a veth pair'}, an MTU of {MTU},"
        f" in turns, {args.rounds} rounds of {args.seconds} s, fio, 1 MiB, 8 at a time, direct.", "",
        *table(head, rows(found)), ""])
    leave(args.out, {"date": date, "mtu": MTU, "results": found}, text)


if __name__ == "__main__":
    main()
