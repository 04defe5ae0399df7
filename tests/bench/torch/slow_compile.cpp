// Loaded before vigil-bench: compiling a model by --backend jit takes VIGIL_PLANT_COMPILE_NS longer
// by the clock on the wall.

#include <chrono>
#include <cstdlib>
#include <dlfcn.h>

#include <torch/csrc/jit/api/module.h>

namespace torch {
namespace jit {

Module optimize_for_inference(Module& module, const std::vector<std::string>& other_methods) {
    using Clock = std::chrono::steady_clock;
    using Real = Module (*)(Module&, const std::vector<std::string>&);
    const char* const text = std::getenv("VIGIL_PLANT_COMPILE_NS");
    const std::chrono::duration<double, std::nano> planted(
        text != nullptr ? std::strtod(text, nullptr) : 0);
    const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(planted);
    while (Clock::now() < end) {
    }
    constexpr const char* name =
        "_ZN5torch3jit22optimize_for_inferenceERNS0_6ModuleERKSt6vectorINSt7__cxx1112basic_stringIc"
        "St11char_traitsIcESaIcEEESaIS9_EE";
    const auto real = reinterpret_cast<Real>(dlsym(RTLD_NEXT, name));
    return real(module, other_methods);
}

}  // namespace jit
}  // namespace torch
