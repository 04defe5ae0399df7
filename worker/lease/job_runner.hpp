#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "worker/lease/bench_provider.hpp"
#include "worker/lease/build.hpp"
#include "worker/lease/build_cache.hpp"
#include "worker/lease/content_cache.hpp"
#include "worker/lease/job_control.hpp"
#include "worker/lease/result_box.hpp"
#include "worker/run/callgrind.hpp"
#include "worker/run/launch.hpp"
#include "worker/run/run.hpp"
#include "worker/run/samples.hpp"
#include "worker/run/share.hpp"

namespace vigil::worker {

/// Does one job: gets or makes every build's product, then runs the steps in order, each a fresh
/// process in the product's read-only folder with a fresh scratch folder, always at the same paths.
/// Steps that compare builds of a benchmark that interleaves run together and measure in turns.
class JobRunner {
  public:
    struct Folders {
        std::filesystem::path work;   ///< emptied before every job
        BuildCache cache;             ///< kept
        std::filesystem::path bench;  ///< compiled vigil-benches, kept
        std::filesystem::path bench_source;
    };

    JobRunner(
        Runner& runner,
        ServiceApi& service,
        ContentCache& cache,
        Folders folders,
        std::string toolchain,
        MachineShare share = {});

    /// Never throws for what the job, the service or the disk does: that is in the result, as runs,
    /// builds or `failure`. The contents lie in the work folder until the next job.
    OutgoingResult run(const Lease& lease, JobControl& control);

    /// Why no job can be done here now, see why_unfit.
    std::string why_not();

  private:
    /// Counts what has run, so that a failure before is known to be none of the job's.
    class CountingRunner : public Runner {
      public:
        explicit CountingRunner(Runner& runner) : runner_(runner) {}
        RunReport run(const RunRequest& request) override {
            auto report =
                request.callgrind ? run_by_callgrind(runner_, request) : runner_.run(request);
            ++count_;
            return report;
        }
        bool sandboxed() const override { return runner_.sandboxed(); }
        std::map<std::string, std::string> facts() const override { return runner_.facts(); }
        int count() const { return count_; }

      private:
        Runner& runner_;
        std::atomic<int> count_ = 0;  // a group's members run on threads of their own
    };
    struct Product {
        Digest digest;
        std::filesystem::path folder;
    };
    /// Index of build, folder of its product, and what is needed.
    using ProgramKey = std::tuple<int, std::string, BenchModels>;
    struct State {
        const Lease& lease;
        JobControl& control;
        OutgoingResult& outgoing;
        std::map<int, Product> products;  ///< by index of build; those that could not be made lack
        BenchModels models;               ///< of the zoo, of all its torch benchmarks
        std::map<ProgramKey, BenchProgram> programs;  ///< those that torch benchmarks need
        std::vector<AppliedLaunch> launches;          ///< of each benchmark of the plan
        Fault fault = Fault::worker;                  ///< whose a failure is while nothing has run
        bool machine_lacks = false;                   ///< and it is the worker's, whatever has run
    };

    void do_job(State& state);
    void prepare(State& state, int index);
    std::filesystem::path fetch(State& state, const Digest& digest);
    std::optional<Digest> make(State& state, const BuildOrder& order);
    BuildPlace place_to_build() const;
    RunOutcome time_build(State& state, int number);
    ProgramKey program_key(const State& state, const Step& step) const;
    void provide_programs(State& state);
    static std::vector<int> numbered_products(const State& state);
    void run_group(State& state, const std::vector<int>& group);
    RunOutcome without_program(State& state, int number, const BenchProgram& program);
    /// Why a step cannot run: its product lacks the folder of the plan, or this machine what is
    /// to count it; empty: it can.
    static std::string why_unsupported(const State& state, const Step& step);
    RunOutcome outcome_of(
        State& state,
        int number,
        Company company,
        const RunRequest& request,
        const RunReport& report);
    RunRequest request_for(const State& state, const Step& step) const;
    Digest add_log(State& state, const std::string& text);
    EnvironmentRecord environment(const State& state) const;

    CountingRunner runner_;
    ServiceApi& service_;
    ContentCache& cache_;
    Folders folders_;
    std::string toolchain_;
    MachineShare share_;
    BenchProvider bench_;
};

}  // namespace vigil::worker
