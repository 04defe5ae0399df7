// The same targets for libFuzzer, which learns from what a text reaches: configure with clang and
// -DVIGIL_FUZZER=ON, build fuzz_harness_by_coverage, then for one target
//
//   VIGIL_FUZZ_TARGET=files fuzz_harness_by_coverage -rss_limit_mb=600 NEW tests/data/fuzz/files
//
// keeps what is new in the folder NEW; what shows something moves into the kept corpus, made small
// by -minimize_crash=1 or -merge=1.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tests/fuzz/targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const char* const wanted = std::getenv("VIGIL_FUZZ_TARGET");
    for (const auto& target : vigil::fuzz::fuzz_targets()) {
        if (wanted != nullptr && std::string_view(wanted) != target.name) continue;
        target.run({reinterpret_cast<const char*>(data), size});
    }
    return 0;
}
