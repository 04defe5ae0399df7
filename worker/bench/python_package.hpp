#pragma once

#include <string>

#include "worker/bench/arguments/arguments.hpp"

// Packages that a Python with torch compiles from a module of compile_bench.py.

namespace vigil_bench {

/// A folder of this process's own; removed with what lies there.
class ScratchPlace {
  public:
    /// @throws std::runtime_error when it cannot be made
    ScratchPlace();
    ~ScratchPlace();
    ScratchPlace(const ScratchPlace&) = delete;
    ScratchPlace& operator=(const ScratchPlace&) = delete;
    const std::string& path() const { return path_; }

  private:
    std::string path_;
};

/// Has `arguments.python` run the program that `arguments.model` names ("DIR/compile_bench.py:mlp")
/// and names the package instead, with the inputs that it was compiled for. Before LibTorch has
/// computed anything here.
/// @param folder  where the package is put
/// @return  how many nanoseconds compiling took, as the Python measured it
/// @throws UnsupportedError with the reason that it gives; std::runtime_error where it fails
double compile_package(Arguments& arguments, const std::string& folder);

}  // namespace vigil_bench
