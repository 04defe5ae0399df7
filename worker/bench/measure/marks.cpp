#include "worker/bench/measure/marks.hpp"

#include <cstdlib>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_START_INSTRUMENTATION static_cast<void>(0)
#define CALLGRIND_STOP_INSTRUMENTATION static_cast<void>(0)
#endif

namespace vigil_bench {

void begin_measured() {
    CALLGRIND_START_INSTRUMENTATION;
}

void end_measured() {
    CALLGRIND_STOP_INSTRUMENTATION;
}

double profile_seconds() {
    const char* text = std::getenv("VIGIL_PROFILE_S");
    const double seconds = text == nullptr ? 0 : std::atof(text);
    return seconds > 0 ? seconds : 0;
}

}  // namespace vigil_bench
