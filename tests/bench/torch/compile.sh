#!/bin/sh
# Measures torch.compile against eager: every model that comes with compile_bench.py, in every way,
# with one thread.
# A line a run goes into RESULTS; `vigil summarize RESULTS` makes tables of them.
# usage: compile.sh PYTHON RESULTS [DEVICE]     e.g. compile.sh python3 compile.jsonl cuda
# PYTHON has a torch from 2.0 on, by itself or by PYTHONPATH; the default device is cpu.
set -eu

python=${1:?usage: compile.sh PYTHON RESULTS [DEVICE]}
results=${2:?usage: compile.sh PYTHON RESULTS [DEVICE]}
device=${3:-cpu}
bench=$(cd "$(dirname "$0")/../../../deploy/examples/pytorch" && pwd)/compile_bench.py

run() {  # what fails is a line, too
  "$python" "$bench" --json --device "$device" --threads 1 "$@" >>"$results" || true
}
for model in mlp resnet18 encoder decoder unet; do
  run --model "$model" \
    --way eager,default,reduce-overhead,max-autotune,dynamic,backend:aot_eager
done
for model in mlp resnet18 encoder decoder unet; do
  run --model "$model" --mode train --way eager,default
done
for model in mlp encoder; do
  run --model "$model" --precision bf16 --way eager,default
done
