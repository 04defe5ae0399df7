#!/bin/sh
# Builds vigil-bench on the LibTorch of another Debian and runs its tests there. As root, with
# debootstrap; takes 3 GB and, on two processors, half an hour.
# usage: other_libtorch.sh FOLDER [RELEASE [TEST...]]   e.g. other_libtorch.sh debian trixie gpu
# FOLDER becomes the root of that Debian, unless it is one already. MIRROR names an archive.
# The test `compile` prints figures of torch.compile instead.
set -eu

root=$(realpath "${1:?usage: other_libtorch.sh FOLDER [RELEASE [TEST...]]}")
release=${2:-trixie}
[ $# -gt 2 ] && shift 2 || set -- bench variants model_file gpu package
source=$(cd "$(dirname "$0")/../../.." && pwd)

if [ ! -e "$root/etc/debian_version" ]; then
  debootstrap --variant=minbase "$release" "$root" ${MIRROR:-}
fi
mounted=""
leave() { for place in $mounted; do umount "$root/$place"; done; }
trap leave EXIT
for place in proc dev; do
  mountpoint -q "$root/$place" && continue
  mount --bind "/$place" "$root/$place"
  mounted="$mounted $place"
done
export DEBIAN_FRONTEND=noninteractive LC_ALL=C
chroot "$root" apt-get update -q
chroot "$root" apt-get install -qy --no-install-recommends g++ cmake ninja-build ccache \
  libtorch-dev nlohmann-json3-dev python3 python3-dev python3-numpy python3-torch \
  python3-setuptools libopenblas0-pthread

rm -rf "$root/vigil"
mkdir -p "$root/vigil"
(cd "$source" && tar c worker/bench tests/integration/torch tests/bench/torch \
  deploy/examples/pytorch) | tar x -C "$root/vigil"
for test in "$@"; do
  if [ "$test" = compile ]; then  # figures of torch.compile, into compile.jsonl of that Debian
    chroot "$root" sh /vigil/tests/bench/torch/compile.sh python3 /compile.jsonl
    continue
  fi
  chroot "$root" python3 "/vigil/tests/integration/torch/${test}_test.py" /vigil_build
done
