#!/bin/bash
# Does the panel keep its contract on lines of a real kernel? The kernel's own GPIO simulator (gpio-sim), which no
# distribution ships, is built for Debian's kernel, and that kernel run in a virtual machine which sees this machine's
# files, cannot change them, and runs the panel's tests on such lines.
#
# Usage: tests/rigs/pins_vm.sh [PYTHON [PYTEST ARGUMENTS...]]
#
# Kernel, headers and source are fetched as Debian packages and unpacked, not installed, into PINS_VM_CACHE
# (~/.cache/pizzatable-pins), which may be deleted at any time.
set -euo pipefail
cd "$(dirname "$0")/../.."
repository=$PWD
python=${1:-.venv/bin/python}
shift || true
cache=${PINS_VM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/pizzatable-pins}
patience_s=${PINS_VM_PATIENCE_S:-600}

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

# What it starts with --------------------------------------------------------------------------------------------------

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
mkdir -p "$root"/{bin,dev,proc,sys,config,host,modules}
cp /bin/busybox "$root/bin/"
# In the order in which they need each other.
modules=(configfs virtio_ring virtio virtio_pci_legacy_dev virtio_pci_modern_dev virtio_pci netfs fscache 9pnet 9pnet_virtio 9p)
for module in "${modules[@]}"; do
    find "$built/lib/modules/$release/kernel" -name "$module.ko" -exec cp {} "$root/modules/" \;
done
cp "$built/modules/"{irq_sim,gpio-sim}.ko "$root/modules/"
interpreter=$("$python" -c 'import os, sys; print(os.path.abspath(sys.executable))')
cat >"$root/command" <<COMMAND
cd ${repository@Q} && ${interpreter@Q} -m pytest -q -p no:cacheprovider --color=no --tb=short \\
    -k "gpio-sim or gpio_sim" tests/hardware/test_panel.py tests/hardware/test_real_panel.py ${*@Q}
COMMAND
printf 'for module in %s; do insmod /modules/$module.ko || stop 1; done\n' "${modules[*]} irq_sim gpio-sim" >"$root/load"

cat >"$root/init" <<'INIT'
#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin:/usr/bin:/sbin:/usr/sbin
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
stop() { echo "PINS: $1"; poweroff -f; }
. /load
mount -t configfs none /config

# One line for each of the header's, and GPIO7, which nothing is wired to, for the tests themselves.
mkdir -p /config/gpio-sim/header/bank
echo 28 >/config/gpio-sim/header/bank/num_lines
echo 1 >/config/gpio-sim/header/live || stop 1
# Without it the tests would be skipped.
[ -d /sys/devices/platform/gpio-sim.0/gpiochip0 ] || stop "no lines"
echo "$(uname -sr), lines on $(cat /config/gpio-sim/header/bank/chip_name)"

mount -t 9p -o trans=virtio,version=9p2000.L,ro,cache=loose,msize=512000 host /host || stop 1
for folder in proc sys dev; do mount --rbind /$folder /host/$folder || stop 1; done
mount -t tmpfs none /host/tmp
ip link set lo up
chroot /host /usr/bin/env -i HOME=/tmp PATH=/usr/local/bin:/usr/bin:/bin PYTHONDONTWRITEBYTECODE=1 LG_WD=/tmp \
    GPIOZERO_PIN_FACTORY=lgpio /bin/sh -c "$(cat /command)"
stop $?
INIT
chmod +x "$root/init"
(cd "$root" && find . | busybox cpio -o -H newc -R 0:0 2>/dev/null) >"$work/initramfs"

# And off --------------------------------------------------------------------------------------------------------------

begun=$(date +%s%N)
# One simulated processor whose clock counts instructions while it works: a busy host makes it slower, not late.
timeout --foreground --kill-after 5 "$patience_s" qemu-system-x86_64 -M q35 -cpu max -accel tcg \
    -icount shift=1,sleep=on -m 768 -nodefaults -vga none -display none -no-reboot -serial stdio \
    -kernel "$built/boot/vmlinuz-$release" -initrd "$work/initramfs" \
    -append "console=ttyS0 quiet panic=-1 random.trust_cpu=on" \
    -virtfs local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap \
    </dev/null | tr -d '\r' | tee "$work/log" || true
echo "$(((($(date +%s%N) - begun) / 100000000))) tenths of a second from power-on to power-off"
result=$(sed -n 's/^PINS: //p' "$work/log" | tail -n 1)
if [[ $result == 0 ]]; then
    echo PASSED
else
    echo "FAILED: ${result:-it did not come to an end within $patience_s s}"
    exit 1
fi
