#!/bin/bash
# Panel, link and camera on a real kernel: Debian's, in a virtual machine which sees this machine's files, cannot change them,
# and runs our tests.
#
#   pins   The panel's contract on GPIO lines: those of the kernel's own simulator (gpio-sim), which no distribution
#          ships and which is built here.
#   usb    The link's contract, and a cable that is pulled, on a USB serial port: the kernel's driver, named by Debian's
#          udev. Behind it, out here, runs the board's own ELF in the emulator, and somebody who slaps what is lit and
#          pulls the cable (tests/rigs/board_hands.py).
#   camera The driver for USB cameras on a V4L2 device: the kernel's own test driver, vivid, which draws colour bars.
#
# Usage: tests/rigs/kernel_vm.sh pins|usb|camera [PYTHON [PYTEST ARGUMENTS...]]
#
# Kernel, headers, source and udev are fetched as Debian packages and unpacked, not installed, into KERNEL_VM_CACHE
# (~/.cache/pizzatable-pins), which may be deleted at any time.
set -euo pipefail
cd "$(dirname "$0")/../.."
repository=$PWD
what=${1-}
python=${2:-.venv/bin/python}
shift 2 2>/dev/null || shift $#
[[ $what == pins || $what == usb || $what == camera ]] || { echo "Usage: $0 pins|usb|camera [PYTHON [PYTEST ARGUMENTS...]]" >&2; exit 2; }
cache=${KERNEL_VM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/pizzatable-pins}
patience_s=${KERNEL_VM_PATIENCE_S:-600}

skip() {
    echo "SKIPPED: $*"
    exit 0
}

# What runs ------------------------------------------------------------------------------------------------------------

[[ $(uname -m) == x86_64 ]] || skip "needs an x86-64 machine; this is $(uname -m)"
command -v apt-get >/dev/null || skip "needs Debian 12's packages; there is no apt-get"
packages=()
command -v qemu-system-x86_64 >/dev/null || packages+=(qemu-system-x86)
[[ -x /bin/busybox ]] && ! ldd /bin/busybox >/dev/null 2>&1 || packages+=(busybox-static)
command -v gcc-12 >/dev/null || packages+=(gcc-12)
command -v make >/dev/null || packages+=(make)
if ((${#packages[@]})); then
    echo "Missing Debian packages, which run the virtual machine and build its modules: ${packages[*]}"
    as_root=()
    if [[ $(id -u) != 0 ]]; then
        command -v sudo >/dev/null || skip "this is not root and there is no sudo. As root: apt-get install ${packages[*]}"
        as_root=(sudo)
    fi
    echo "Installing them: apt-get install --no-install-recommends ${packages[*]}"
    "${as_root[@]}" apt-get update -qq || skip "apt-get update failed"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "${packages[@]}" ||
        skip "they cannot be installed"
fi

# The kernel and the two modules ---------------------------------------------------------------------------------------

# The release of a kernel for which this machine's package lists have everything, such as 6.1.0-56-amd64.
release=$(apt-cache depends linux-headers-amd64 2>/dev/null | sed -n 's/.*Depends: linux-headers-//p' | head -n 1)
series=$(cut -d. -f1,2 <<<"$release")
[[ $series == 6.1 ]] || skip "needs Debian 12's kernel 6.1; this machine's package lists have ${release:-none}"
built=$cache/$release

fetch() {
    echo "Fetching Debian's kernel $release, its headers and its source into $cache (220 MB, once)"
    mkdir -p "$built.new/packages"
    (
        cd "$built.new/packages"
        apt-get download -qq "linux-image-$release" "linux-headers-$release" "linux-headers-${release%-amd64}-common" \
            "linux-kbuild-$series" "linux-source-$series" 2>"$built.new/apt.log" ||
            { cat "$built.new/apt.log"; exit 1; }
        for package in linux-image-* linux-headers-* linux-kbuild-*; do dpkg-deb -x "$package" ..; done
        mkdir ../modules
        # Reading on to the end of the archive would take four times as long.
        dpkg-deb --fsys-tarfile linux-source-* | tar -xO "./usr/src/linux-source-$series.tar.xz" |
            tar -xJ -C ../modules --strip-components=3 --occurrence=1 \
                "linux-source-$series/drivers/gpio/gpiolib.h" "linux-source-$series/drivers/gpio/gpio-sim.c" \
                "linux-source-$series/kernel/irq/irq_sim.c" || true
        [[ -s ../modules/irq_sim.c && -s ../modules/gpio-sim.c ]]
    )
    rm -r "$built.new/packages"
}

build() {
    echo "Building gpio-sim for it"
    local headers=$built.new/usr/src/linux-headers-$release
    # Unpacked elsewhere than where they expect to be.
    sed -i "s|/usr/src/|$built.new/usr/src/|" "$headers/Makefile"
    # A module may not use irq_to_desc(); this does the same by the interrupt's number.
    sed -i 's/handle_simple_irq(irq_to_desc(irqnum))/generic_handle_irq(irqnum)/' "$built.new/modules/irq_sim.c"
    printf '#include <linux/module.h>\nMODULE_LICENSE("GPL");\n' >>"$built.new/modules/irq_sim.c"
    echo 'obj-m := irq_sim.o gpio-sim.o' >"$built.new/modules/Kbuild"
    make -C "$headers" M="$built.new/modules" modules >"$built.new/build.log" 2>&1 ||
        { tail -n 20 "$built.new/build.log"; return 1; }
}

if [[ ! -d $built ]]; then
    rm -rf "$built.new"
    fetch || skip "the packages cannot be fetched"
    build
    mv "$built.new" "$built"
fi

udev=$cache/udev
fetch_udev() {
    echo "Fetching Debian's udev into $cache (2 MB, once)"
    rm -rf "$udev.new"
    mkdir -p "$udev.new"
    (
        cd "$udev.new"
        apt-get download -qq udev 2>apt.log || { cat apt.log; exit 1; }
        dpkg-deb -x udev_*.deb .
        ln -s bin/udevadm systemd-udevd
    )
    mv "$udev.new" "$udev"
}
if [[ $what == usb && ! -d $udev ]]; then fetch_udev || skip "udev cannot be fetched"; fi

# What it starts with --------------------------------------------------------------------------------------------------

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
mkdir -p "$root"/{bin,dev,proc,sys,host,modules}
cp /bin/busybox "$root/bin/"
# In the order in which they need each other.
modules=(configfs virtio_ring virtio virtio_pci_legacy_dev virtio_pci_modern_dev virtio_pci netfs fscache 9pnet 9pnet_virtio 9p)
if [[ $what == usb ]]; then modules+=(usb-common usbcore xhci-hcd xhci-pci usbserial ftdi_sio); fi
if [[ $what == camera ]]; then
    modules+=(mc videodev v4l2-dv-timings videobuf2-common videobuf2-memops videobuf2-v4l2 videobuf2-vmalloc
        videobuf2-dma-contig v4l2-tpg rc-core cec vivid)
fi
for module in "${modules[@]}"; do
    find "$built/lib/modules/$release/kernel" -name "$module.ko" -exec cp {} "$root/modules/" \;
done
if [[ $what == pins ]]; then
    cp "$built/modules/"{irq_sim,gpio-sim}.ko "$root/modules/"
    modules+=(irq_sim gpio-sim)
    tests=(-k "gpio-sim or gpio_sim" tests/hardware/test_panel.py tests/hardware/test_real_panel.py
        tests/controller/test_panel_kept.py)
elif [[ $what == camera ]]; then
    tests=(tests/hardware/test_real_camera.py)
else
    tests=(--hardware -k real tests/firmware_bridge/test_link_contract.py)
fi
interpreter=$("$python" -c 'import os, sys; print(os.path.abspath(sys.executable))')
cat >"$root/command" <<COMMAND
cd ${repository@Q} && ${interpreter@Q} -m pytest -q -p no:cacheprovider --color=no --tb=short ${tests[*]@Q} ${*@Q}
COMMAND
printf 'for module in %s; do insmod /modules/$module.ko || stop 1; done\n' "${modules[*]}" >"$root/load"
printf 'what=%s udev=%s\n' "$what" "${udev@Q}" >"$root/settings"

cat >"$root/init" <<'INIT'
#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin:/usr/bin:/sbin:/usr/sbin
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
stop() { echo "VM: $1"; poweroff -f; }
. /settings
. /load

mount -t 9p -o trans=virtio,version=9p2000.L,ro,cache=loose,msize=512000 host /host || stop 1
mount -t configfs none /sys/kernel/config || stop 1
for folder in proc sys dev; do mount --rbind /$folder /host/$folder || stop 1; done
for folder in tmp run; do mount -t tmpfs none /host/$folder || stop 1; done
ip link set lo up

if [ $what = pins ]; then
    # One line for each of the header's, and GPIO7, which nothing is wired to, for the tests themselves.
    header=/sys/kernel/config/gpio-sim/header
    mkdir -p $header/bank
    echo 28 >$header/bank/num_lines
    echo pinctrl-rp1 >$header/bank/label # as on a Raspberry Pi 5
    echo 1 >$header/live || stop 1
    # Without it the tests would be skipped.
    [ -d /sys/devices/platform/gpio-sim.0/gpiochip0 ] || stop "no lines"
    echo "$(uname -sr), lines on $(cat $header/bank/chip_name)"
elif [ $what = camera ]; then
    # Without it the tests would be skipped.
    [ -c /dev/video0 ] || stop "no camera"
    echo "$(uname -sr), /dev/video0 is $(cat /sys/class/video4linux/video0/name)"
else
    mkdir -p /host/run/udev/rules.d /host/tmp/.config/pizzatable
    cp /host$udev/lib/udev/rules.d/50-udev-default.rules /host$udev/lib/udev/rules.d/60-serial.rules \
        /host/run/udev/rules.d/
    chroot /host $udev/systemd-udevd --daemon || stop 1
    # What was plugged in before udev was there.
    for event in /sys/class/tty/ttyUSB*/uevent; do echo add >$event; done
    for second in 1 2 3 4 5 6 7 8 9 10; do [ -d /dev/serial/by-id ] && break; sleep 1; done
    port=$(echo /dev/serial/by-id/*)
    [ -e "$port" ] || stop "no serial port"
    echo "$(uname -sr), $(readlink -f $port) is $port"
    printf '[serial]\nport = "%s"\n' "$port" >/host/tmp/.config/pizzatable/table.toml
fi

# lgpio complains of a chip that is gone a hundred thousand times a second, and this console is a slow one.
{
    chroot /host /usr/bin/env -i HOME=/tmp PATH=/usr/local/bin:/usr/bin:/bin PYTHONDONTWRITEBYTECODE=1 LG_WD=/tmp \
        GPIOZERO_PIN_FACTORY=lgpio /bin/sh -c "$(cat /command)" 2>&1
    echo $? >/result
} | grep -v 'lgPthAlert: read error'
stop $(cat /result)
INIT
chmod +x "$root/init"
(cd "$root" && find . | busybox cpio -o -H newc -R 0:0 2>/dev/null) >"$work/initramfs"

# And off --------------------------------------------------------------------------------------------------------------

if [[ $what == camera ]]; then
    machine=(-accel tcg)
elif [[ $what == pins ]]; then
    # One simulated processor whose clock counts instructions while it works: a busy host makes it slower, not late.
    machine=(-accel tcg -icount shift=1,sleep=on)
else
    # The board outside lives in real time.
    port=$work/board
    "$python" -m tests.rigs.board_hands "$port" "$work/monitor" >"$work/hands" &
    hands=$!
    trap 'kill $hands 2>/dev/null || true; rm -rf "$work"' EXIT
    until [[ -e $port ]]; do
        kill -0 $hands 2>/dev/null || skip "$(cat "$work/hands")"
        sleep 0.1
    done
    machine=(-accel tcg -chardev "serial,id=board,path=$port" -qmp "unix:$work/monitor,server=on,wait=off"
        -device qemu-xhci,id=usb -device usb-serial,id=board,chardev=board,bus=usb.0,serial=emulated)
fi

begun=$(date +%s%N)
timeout --foreground --kill-after 5 "$patience_s" qemu-system-x86_64 -M q35 -cpu max "${machine[@]}" -m 768 -nodefaults -vga none -display none -no-reboot -serial stdio \
    -kernel "$built/boot/vmlinuz-$release" -initrd "$work/initramfs" \
    -append "console=ttyS0 quiet panic=-1 random.trust_cpu=on" \
    -virtfs local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap \
    </dev/null | tr -d '\r' | tee "$work/log" || true
echo "$(((($(date +%s%N) - begun) / 100000000))) tenths of a second from power-on to power-off"
if [[ $what == usb ]]; then
    kill $hands 2>/dev/null || true
    hands_failed=0
    wait $hands || hands_failed=$?
    cat "$work/hands"
fi
result=$(sed -n 's/^VM: //p' "$work/log" | tail -n 1)
if [[ $result == 0 && ${hands_failed-0} != 0 ]]; then result="what the board saw"; fi
if [[ $result == 0 ]]; then
    echo PASSED
else
    echo "FAILED: ${result:-it did not come to an end within $patience_s s}"
    exit 1
fi
