#include "worker/bench/profiled_run.hpp"

#include <time.h>

#include <nlohmann/json.hpp>

#include "worker/bench/device/device.hpp"
#include "worker/bench/last_words.hpp"
#include "worker/bench/measure/marks.hpp"
#include "worker/bench/measure/measure.hpp"
#include "worker/bench/models/subject.hpp"
#include "worker/bench/outcome.hpp"
#include "worker/bench/prepare.hpp"
#include "worker/bench/report.hpp"

namespace vigil_bench {

namespace {

constexpr int profiled_iterations = 5;  // of a run that a profiler makes slow
constexpr double profiled_share = 0.4;  // of the profiler's time; the rest is for its start

}  // namespace

bool is_profiled(const Arguments& arguments) {
    return arguments.iterations > 0 || profile_seconds() > 0;
}

int run_profiled(Arguments arguments) {
    if (arguments.batch == auto_batch) arguments.batch = 0;
    const double begun_ns = now_ns(CLOCK_MONOTONIC);
    const double most_ns = profiled_share * profile_seconds() * 1e9;
    const auto may_go_on = [&] {
        return most_ns == 0 || now_ns(CLOCK_MONOTONIC) - begun_ns < most_ns;
    };
    prepare_process(arguments.threads);
    begin_stage("building the model");
    const auto subject = make_subject(arguments);
    const auto device = make_device(arguments);
    begin_stage("warming up for a profiler");
    subject->iterate();  // what it allocates and chooses is kept
    device->synchronise();
    begin_stage("running for a profiler");
    const int wanted = arguments.iterations > 0 ? arguments.iterations : profiled_iterations;
    int made = 0;
    begin_measured();
    do {
        subject->iterate();
        ++made;
    } while (made < wanted && may_go_on());
    device->synchronise();
    end_measured();
    nlohmann::json document;
    document["info"] = variant_of(arguments, subject->batch());
    document["info"]["profiled_iterations"] = made;
    return finish(ExitReason::passed, "", std::move(document));
}

}  // namespace vigil_bench
