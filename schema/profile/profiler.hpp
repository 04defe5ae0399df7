#pragma once

#include <map>
#include <string>

#include "schema/model/enum_names.hpp"

namespace vigil {

/// What profiles a run: one that is profiled measures nothing.
enum class Profiler {
    callgrind,  ///< valgrind's, of instructions by function
    dhat,       ///< valgrind's, of memory by the function that asks for it
    operators,  ///< vigil-bench itself, of LibTorch's operators
    perf,       ///< samples of where the processor is, at the program's own speed
};

/// By which variable of its environment a profiled plan names its profiler: without a key that
/// older workers refuse. The program sees it too.
inline constexpr const char* profiler_variable = "VIGIL_PROFILER";

/// @param environment  of a plan that is profiled; callgrind where it names none, or an unknown one
inline Profiler profiler_of(const std::map<std::string, std::string>& environment) {
    const auto found = environment.find(profiler_variable);
    if (found == environment.end()) return Profiler::callgrind;
    return find_enum<Profiler>(found->second).value_or(Profiler::callgrind);
}

}  // namespace vigil
