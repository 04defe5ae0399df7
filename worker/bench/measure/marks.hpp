#pragma once

namespace vigil_bench {

/// What runs between these two is what a profiler counts: valgrind's callgrind, started with
/// --instr-atstart=no. Nothing happens without valgrind, or where its headers were missing when
/// this program was compiled.
void begin_measured();
void end_measured();

/// How many seconds a profiler has for this process (VIGIL_PROFILE_S); 0: none runs it.
double profile_seconds();

}  // namespace vigil_bench
