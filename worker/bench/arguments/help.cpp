#include "worker/bench/arguments/help.hpp"

namespace vigil_bench {

namespace {

const std::string title =
    "vigil-bench: measures one model in one process, on the LibTorch it is compiled against\n";

std::string suites_and_output() {
    return R"(
with --suite, --model, --mode, --device, --precision, --backend, --layout, --size, --batch,
--threads and --processes take lists (a,b); --model takes patterns (*net*) and all, which it is without one;
further options are every run's. Each run is a process of its own.
  --suite FILE        where the lines go, one a run; `vigil summarize FILE` reads them
  --resume            go on where FILE ends
  --shard I/N         only every N-th model, from the I-th
  --skip FILE         lines of a model or pattern, words that the run has (train, jit), and behind
                      # the reason: such runs are `unsupported`
  --in-turns          the backends of one way measure in turns, as with --compare-backends

examples:
  vigil-bench --model mlp
  vigil-bench --model convnet --batch 8 --min-time 2
  vigil-bench --model mlp --mode train --library lib/libtensorlab.so
  vigil-bench --model resnet50 --mode train --batch 4     with the zoo built in
  vigil-bench --model convnet --precision bf16 --backend jit --batch auto --threads all
  vigil-bench --model net.pt --input 1x3x224x224,int64:1x16:1000 --time-limit 60
  vigil-bench --model resnet18 --compare-backends eager,jit
  vigil-bench --suite zoo.jsonl --mode infer,train --batch 1 --time-limit 600 --resume

output, one line:
  {"vigil_bench":1,"outcome":"passed","samples":{"cpu_time_ns":[...],"wall_time_ns":[...],
   "peak_process_bytes":[n],"peak_growth_bytes":[n],"peak_alloc_bytes":[n]},"info":{...}}
  times are nanoseconds per iteration, one value per sample; peaks are one value per process.
  outcome: passed, failed, wrong, oom, timeout, unsupported; other than passed it has a "message".
  info.metrics has what is known beside the samples; docs/measuring.md says what each is.

exit codes: 0 passed, 1 failed, 2 wrong usage (failed), 3 wrong answer, 4 out of memory, 5 timeout,
            6 a model file that cannot be loaded (failed), 77 unsupported

a library registers its operators with TORCH_LIBRARY, any subset of those listed in
operators.hpp; what it lacks is taken from LibTorch. Its answers are checked against LibTorch's.
)";
}

}  // namespace

std::string help_text() {
    return title + R"(
usage: vigil-bench --model NAME [options]     prints one JSON object on standard output
       vigil-bench --list [--json]            names the models, one a line; as JSON with the
                                              parameters of each counted in the built model
       vigil-bench --list --paper             the names of the TorchBench paper, a line of JSON
                                              each: the model that runs it, or why none does
       vigil-bench --suite FILE [options]     runs models x ways, a line of each into FILE
       vigil-bench --ops FILE [--json]        the operators of LibTorch that the runs of a suite
                                              with --profile call, and what one model alone calls
       vigil-bench --operators S --model A,B|all [options]
                                              each operator that the models call by itself, for S
                                              seconds at most, as Google Benchmark prints it
       vigil-bench --compare-backends A,B --model NAME [options]
                                              the backends measure in turns, a line for each
       vigil-bench --help

  --model NAME        the model to run, by its own name or the paper's; or FILE.pt, a TorchScript
                      file
  --input SHAPES      of a file's inputs, separated by commas: 1x3x224x224, int64:1x128 (numbers 0
                      and 1), int64:1x128:30522 (below 30522), bool:4x4, float64:8x2
  --mode infer|train  forward only (default), or forward, backward and a step of SGD
  --precision P       fp32 (default), bf16 (weights and inputs), amp (autocast to bf16); on a GPU
                      tf32, fp16 and amp_fp16 (autocast to fp16, the loss scaled) too
  --backend B         eager (default), jit (traced, frozen, optimised; infer only), aoti (a
                      package, FILE.pt2, with LibTorch 2.6 or later)
  --python PROGRAM    a Python with torch 2.6 or later: compiles the package of a model
                      DIR/compile_bench.py:NAME, for --backend aoti
  --layout L          of images in memory: contiguous (default), or channels_last: the colours of a
                      point side by side; a model without images is `unsupported`
  --size S            of the inputs of models that have two (BERT, GPT-2, U-Net, Demucs; --list
                      --json): small (default) or published, which is another series
  --library FILE.so   operators of the build under test, used in place of LibTorch's own (models
                      mlp, convnet, attention)
  --prefix NAME       namespace of its operators (default: libNAME.so gives NAME)
  --threads N         of LibTorch and of its BLAS: a number, one (default) or all
  --batch N           rows per iteration (default: the model's own); auto doubles from 1 until
                      throughput stands still or memory ends, and takes the smallest size within
                      10 % of the best
  --second-batch N    after measuring, the same model takes batches of N rows: what a step of them
                      takes, and what the first ones take more (compiling again)
  --processes N       data parallel: N processes with a batch and, on cuda, a GPU each, after one
                      alone (default 1)
  --time-limit S      of the whole process; then the outcome is `timeout`
  --seed N            of weights and inputs (default 1)
  --device D          cpu (default), cuda, cuda:N; one that is not there is `unsupported`
  --breakdown N       of so many iterations after measuring, the shares of time in which the device
                      computes, data move, and neither
  --profile N         of so many iterations after measuring, what each operator of LibTorch and each
                      module of the model take: calls, time, memory, operations; hints
  --trace FILE        with --profile: the operators as a trace that browsers show (Perfetto)
  --iterations N      for a profiler: N iterations, marked for callgrind; nothing is measured
  --min-time S        measure at least S seconds (default 0.6)
  --min-samples N     and at least N samples (default 20)
  --max-samples N     and at most N samples (default 2000)
  --sample-time S     one sample is the mean of so many iterations that they take S seconds
                      (default 0.01)
  --exclusive S       wait up to S seconds until no other vigil-bench with --exclusive measures on
                      this machine (default 0: do not care)
  --max-warmup S      warm-up ends when it is steady, or after S seconds (default 0.5)
)" + suites_and_output();
}

}  // namespace vigil_bench
