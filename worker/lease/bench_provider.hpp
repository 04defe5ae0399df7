#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "schema/model/job.hpp"
#include "schema/model/recipe.hpp"
#include "schema/model/text_ids.hpp"
#include "worker/lease/build_cache.hpp"
#include "worker/run/run.hpp"

namespace vigil::worker {

constexpr const char* bench_program_name = "vigil-bench";

/// vigil-bench, compiled for one LibTorch.
struct BenchProgram {
    std::filesystem::path folder;  ///< holds vigil-bench; empty when it could not be compiled
    std::string message;           ///< why not
    std::string log;               ///< of the compilation, when it was made just now
};

/// The models of its zoo that are compiled beside the core of vigil-bench, by the names of their
/// files; none: the core alone.
using BenchModels = std::set<std::string>;

/// Compiles vigil-bench once for each LibTorch and keeps it: for the machine's own, or for the one
/// that a product carries.
class BenchProvider {
  public:
    /// @param source     the folder with vigil-bench's CMakeLists.txt; empty: there is none
    /// @param cache      where the programs are kept
    /// @param work       for a build's files
    /// @param toolchain  of this machine; part of what the program depends on
    BenchProvider(
        Runner& runner,
        std::filesystem::path source,
        std::filesystem::path cache,
        std::filesystem::path work,
        std::string toolchain);

    /// What a benchmark needs that gives vigil-bench these arguments: each --model for which the
    /// source has a file zoo/<domain>/<model>.cpp, or which is a name of the paper for such a one.
    /// An unknown model is the core's to refuse.
    BenchModels models_for(const Command& arguments) const;

    /// What all torch benchmarks of a plan need: its programs have them all.
    BenchModels models_for(const JobPlan& plan) const;

    /// @param product  unpacked; a LibTorch in it ("torch" or "libtorch", at most two folders deep)
    ///                 is preferred to the machine's
    /// @param digest   the product's
    /// @param models   that the program must have; one that has more is taken where it is there
    /// @param ccache   read by every compilation; one for the machine's own LibTorch adds to it, if
    ///                 anybody's builds do
    /// @throws Error{unavailable} when it is this machine that lacks something
    BenchProgram provide(
        const std::filesystem::path& product,
        const Digest& digest,
        const BenchModels& models,
        const BuildCache& ccache,
        const std::atomic<bool>& stop);

  private:
    /// One that has these models, and perhaps others.
    std::optional<std::filesystem::path> find_program(
        const Digest& key, const BenchModels& models) const;
    BenchProgram compile(
        const std::filesystem::path& target,
        const std::filesystem::path& product,
        const std::string& torch,
        const BenchModels& models,
        const BuildCache& ccache,
        const std::atomic<bool>& stop);

    Runner& runner_;
    std::filesystem::path source_;
    std::filesystem::path cache_;
    std::filesystem::path work_;
    std::string toolchain_;
};

}  // namespace vigil::worker
