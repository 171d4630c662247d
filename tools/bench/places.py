# SPDX-License-Identifier: GPL-2.0
"""places - the environments of measurements: variants of the test bed, as a table."""
from dataclasses import dataclass

from contenders import MTU

# Rate of the bottleneck, as an argument of tc and in MiB/s
NARROW, NARROW_MIBPS = "400mbit", 400e6 / 8 / (1 << 20)
TBF = ("--qdisc", f"tbf rate {NARROW} burst 64kb limit 300kb")


@dataclass(frozen=True)
class Place:
    """A place.

    args     for the test bed
    mtu      of the netdevs
    one_core whether the other cores are off
    """
    args: tuple = ()
    mtu: int = MTU
    one_core: bool = False

    @property
    def pair(self):
        """Tell whether the ends are in two VMs."""
        return "--pair" in self.args

    @property
    def netdevs(self):
        """Return the names that the test bed gives to the ends' netdevs."""
        return ("va", "vb") if self.pair else ("v0", "v1")


def nic(driver, mtu, *args):
    return Place(("--nic", driver, *args), mtu)


PLACES = {
    "plain": Place(),
    "one-core": Place(("--rps", "0"), one_core=True),
    "two-cores": Place(("--rps", "1,2")),   # one for each end, for its receive path and its program
    "lossy": Place(("--netem", "loss 0%")),
    # scripts/bench starts the machine with NICs of both drivers
    "virtio-1500": nic("virtio_net", 1500),
    "virtio-4200": nic("virtio_net", 4200),
    "virtio-9000": nic("virtio_net", 9000),
    "vmxnet3-4200": nic("vmxnet3", 4200),
    # scripts/bench starts two machines for these
    "pair-1500": nic("virtio_net", 1500, "--pair"),
    "pair-4200": nic("virtio_net", 4200, "--pair"),
    "narrow": Place(TBF),
    "narrow-30": Place((*TBF, "--qdisc", "pfifo limit 30")),
}

NICS = tuple(name for name, place in PLACES.items() if "--nic" in place.args and not place.pair)
NIC_PAIRS = tuple(name for name, place in PLACES.items() if place.pair)
