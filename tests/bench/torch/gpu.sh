#!/bin/sh
# Everything that only a machine with a GPU can say of vigil-bench, into one folder of results.
# usage: gpu.sh BUILD RESULTS [PART...]
# Parts, in this order without any: build outcomes planted streams precisions packages models same.
# Each can be ended and begun again, and takes at most SECONDS_A_PART (default 540).
# TORCH: the LibTorch to build against (default: Python's). CMAKE_PREFIX_PATH finds nlohmann_json.
# JOBS: checks at once where nothing is timed (default: half the processors).
# MODELS: what is timed (default: all).
set -u

build=${1:?usage: gpu.sh BUILD RESULTS [PART...]}
results=${2:?usage: gpu.sh BUILD RESULTS [PART...]}
shift 2
[ $# -gt 0 ] || set -- build outcomes planted streams precisions packages models same
here=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-python3}
seconds=${SECONDS_A_PART:-540}
jobs=${JOBS:-$(($(nproc) / 2))}
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
mkdir -p "$build" "$results"
build=$(realpath "$build")
results=$(realpath "$results")
bench="$build/bench/vigil-bench"

build_all() {
  torch=${TORCH:-$($python -c 'import torch; print(torch.utils.cmake_prefix_path)')}
  # Nothing of ours is compiled for a GPU, but LibTorch's CMake asks for which.
  export TORCH_CUDA_ARCH_LIST=${TORCH_CUDA_ARCH_LIST:-9.0}
  cmake -S "$here" -B "$build" -G Ninja -DVIGIL_BENCH_ZOO=ON -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_PREFIX_PATH="$torch;${CMAKE_PREFIX_PATH:-}" && cmake --build "$build" -- -k 0
}

build() {
  if ! build_all >"$results/build.log" 2>&1; then
    tail -n 40 "$results/build.log"
    return 1
  fi
  {
    nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader
    $python -c 'import torch; print("torch", torch.__version__, "cuda", torch.version.cuda)'
    "$bench" --model mlp --device cuda
  } >"$results/machine.txt" 2>&1
}

outcomes() {
  timeout "$seconds" $python "$here/outcomes.py" "$bench" "$results/outcomes.jsonl" \
    --device cuda --jobs "$jobs" --time-limit 120 \
    2>"$results/outcomes.log" >"$results/outcomes.md"
  tail -n 1 "$results/outcomes.md"
}

models() {
  timeout "$seconds" "$bench" --suite "$results/models.jsonl" --resume --device cuda \
    --model "${MODELS:-all}" --mode infer,train --breakdown 5 --min-time 0.3 --time-limit 120 \
    2>"$results/models.log"
  tail -n 1 "$results/models.log"
  $python "$here/gpu_checks.py" "$build" "$results" table >"$results/models.md"
}

checks() {
  timeout "$seconds" $python "$here/gpu_checks.py" "$build" "$results" "$1"
}

status=0
for part in "$@"; do
  echo "--- $part"
  case $part in
    build | outcomes | models) "$part" ;;
    *) checks "$part" ;;
  esac || { status=1; echo "$part: did not end well"; }
done
exit $status
