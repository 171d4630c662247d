#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Install the Debian packages on a fresh Debian, boot it as a machine with systemd, and do what the
# README says: a device, rping, rping sealed, settings kept over a reboot; and remove them.
# TAP on standard output.
#
#	tests/packages/reboot.sh FOLDER RELEASE
#
# The machine has one NIC, on a wire without another end: rping runs between two programs of it.
#
# Cites: issue 27 ("from a fresh VM").

set -uo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd -P)
. "$top/tests/packages/debian.sh"

release=${2:?RELEASE}
suite=reboot/$release
disk=$work/disk
readonly BOOT_SECONDS=900

# prepare: let the machine have an address, and run the steps when it has started
prepare()
{
	mkdir -p "$debian/test"
	cp "$top/tests/packages/steps.sh" "$debian/test/"
	cat >"$debian/etc/systemd/network/10-test.network" <<-END
		[Match]
		Name=en*
		[Network]
		Address=10.77.0.1/24
		ConfigureWithoutCarrier=yes
	END
	cat >"$debian/etc/systemd/system/steps.service" <<-END
		[Unit]
		After=multi-user.target network-online.target
		Wants=network-online.target
		[Service]
		ExecStart=/bin/sh -c '/bin/bash /test/steps.sh >/dev/ttyS1 2>&1; systemctl poweroff'
	END
	mkdir -p "$debian/etc/systemd/system/default.target.wants"
	ln -s /etc/systemd/system/steps.service "$debian/etc/systemd/system/default.target.wants/"
	in_debian systemctl -q enable systemd-networkd
	echo '/dev/vda / ext4 defaults 0 1' >"$debian/etc/fstab"
	rm -rf "$debian"/packages "$debian"/var/cache/apt/archives/*.deb
}

# make_disk: write the fresh Debian to the machine's disk, and keep what starts it
make_disk()
{
	umount "$debian/proc"
	cp "$debian"/boot/vmlinuz-* "$work/vmlinuz" && cp "$debian"/boot/initrd.img-* "$work/initrd" &&
		mke2fs -q -t ext4 -d "$debian" "$disk" 4G && rm -rf "$debian"
}

# boot NAME: start the machine, and wait until it is off. Its steps are in $work/steps.
boot()
{
	timeout "$BOOT_SECONDS" qemu-system-x86_64 -accel "${SRNIC_ACCEL:-tcg}" -machine q35 \
		-cpu max,-erms,-fsrm,-la57 -smp 2 -m 1G -nodefaults -display none -no-reboot \
		-kernel "$work/vmlinuz" -initrd "$work/initrd" \
		-append "root=/dev/vda rw console=ttyS0 quiet systemd.show_status=no" \
		-drive "file=$disk,format=raw,if=virtio,cache=unsafe" \
		-netdev hubport,id=wire,hubid=0 -device virtio-net-pci,netdev=wire \
		-serial "file:$logs/$release-$1.log" -serial "file:$work/steps" </dev/null >&2
}

# told NAME: boot, and report what the steps have reported
told()
{
	local line
	boot "$1"
	ok $? "the machine starts, and ends ($1)"
	tr -d '\r' <"$work/steps" | tee -a "$logs/$release-$1.log" >&2
	while read -r line; do
		case $line in
		"yes "*) ok 0 "${line#yes }" ;;
		"no "*) ok 1 "${line#no }" ;;
		esac
	done < <(tr -d '\r' <"$work/steps")
	grep -q '^end' "$work/steps"
	ok $? "all steps were taken ($1)"
}

# must STATUS TEXT: report what all else depends on
must()
{
	ok "$1" "$2"
	(($1 == 0)) || the_end
}

build_for "$release" "$work/1"
must $? "the packages are built"
fresh_debian "$release" &&
	install linux-image-amd64 linux-headers-amd64 dkms systemd-sysv udev dbus iproute2 kmod
must $? "there is a fresh Debian with a kernel"
give "$work/1" && install "${debs[@]}" ibverbs-utils rdmacm-utils
must $? "apt installs them"
prepare && make_disk
must $? "it is written to a disk"
told use
told again
told gone
the_end
