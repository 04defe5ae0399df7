#pragma once

#include "schema/harness/collector.hpp"
#include "schema/harness/console/words.hpp"

// A reader for each harness that prints a table for people; each has a source file of its own.
// ShownLines of other kinds are passed over, so that a table may stand among other text. They throw
// what a Collector does.
//
// A table has rounded numbers, and mostly one for a benchmark: a summary.

namespace vigil::harness {

enum class TableHead {
    needed,  ///< rows count below the head of their table
    known    ///< something else says whose rows they are
};

/// "BM_sum/8   47.2 ms   47.1 ms   15 items_per_second=2.1M/s": time, CPU time and counters.
/// Repetitions are samples; where only aggregates are printed, the median counts.
void read_google_table(const ShownLines& lines, TableHead head, Collector& into);
/// Google Benchmark's --benchmark_format=csv.
void read_google_csv(const ShownLines& lines, Collector& into);
/// "sum   time:   [47.1 ms 47.2 ms 47.3 ms]", "thrpt: [...]", and "test sum ... bench: 47 ns/iter".
void read_criterion_lines(const ShownLines& lines, Collector& into);
/// The table at JMH's end: "Name  (size)  Mode  Cnt  Score  Error  Units".
void read_jmh_table(const ShownLines& lines, Collector& into);
/// pytest-benchmark's tables below "Name (time in ms)"; of runs that are compared, the one of now.
void read_pytest_table(const ShownLines& lines, Collector& into);
/// Catch2's console: "benchmark name  samples  iterations  estimated".
void read_catch2_table(const ShownLines& lines, Collector& into);
/// "Benchmark 1: sleep 1" with its "Time (mean ± σ)" and "Range".
void read_hyperfine_lines(const ShownLines& lines, Collector& into);
/// "BenchmarkSort-8  1000  123 ns/op  16 B/op", also where other programs print such lines.
void read_go_lines(const ShownLines& lines, Collector& into);

}  // namespace vigil::harness
