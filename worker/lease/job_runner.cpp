#include "worker/lease/job_runner.hpp"

#include <chrono>
#include <fstream>

#include <fmt/core.h>

#include "schema/archive/archive.hpp"
#include "schema/log/log.hpp"
#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "schema/wire/digest.hpp"
#include "worker/lease/artifact.hpp"
#include "worker/lease/groups.hpp"
#include "worker/lease/launches.hpp"
#include "worker/lease/outcome_now.hpp"
#include "worker/lease/profile_step.hpp"
#include "worker/lease/trace.hpp"
#include "worker/lease/work_folder.hpp"
#include "worker/machine/machine.hpp"
#include "worker/run/fresh_folder.hpp"
#include "worker/run/profile/profiled_run.hpp"
#include "worker/run/samples.hpp"
#include "worker/run/together.hpp"

namespace vigil::worker {

namespace {

namespace fs = std::filesystem;

constexpr const char* bench_path = "/vigil/bench";
constexpr std::int64_t most_build_cache = std::int64_t{5} << 30;

/// Ends a job early; `what` becomes the result's failure.
[[noreturn]] void give_up(const std::string& why) {
    throw Error(Errc::unavailable, why);
}

void check_not_stopped(const JobControl& control) {
    if (control.stop()) give_up(control.why());
}

}  // namespace

JobRunner::JobRunner(
    Runner& runner,
    ServiceApi& service,
    ContentCache& cache,
    Folders folders,
    std::string toolchain,
    MachineShare share)
    : runner_(runner),
      service_(service),
      cache_(cache),
      folders_(std::move(folders)),
      toolchain_(std::move(toolchain)),
      share_(std::move(share)),
      bench_(runner_, folders_.bench_source, folders_.bench, folders_.work / "bench", toolchain_) {
    remove_quarantined(folders_.work);
}

std::string JobRunner::why_not() {
    return why_unfit(folders_.work);
}

EnvironmentRecord JobRunner::environment(const State& state) const {
    auto record = read_environment("/", share_.gpus);
    record.facts.merge(facts_of(share_));
    note_launches(state.lease.plan, state.launches, record.facts);
    record.facts["toolchain"] = wire::sha256(toolchain_).str();
    for (const auto& [name, value] : runner_.facts()) record.facts[name] = value;
    return record;
}

OutgoingResult JobRunner::run(const Lease& lease, JobControl& control) {
    OutgoingResult outgoing;
    outgoing.job = lease.job;
    outgoing.attempt = lease.attempt;
    outgoing.result.key = lease.key;
    State state{lease, control, outgoing, {}, {}, {}, {}};
    const int ran_before = runner_.count();
    try {
        make_fresh(folders_.work);
        fs::create_directories(folders_.work / "logs");
        if (!folders_.cache.folder.empty()) fs::create_directories(folders_.cache.folder);
        state.fault = Fault::job;  // every worker of the class would meet it
        state.launches = apply_launches(lease.plan);
        state.fault = Fault::worker;
        outgoing.result.before = environment(state);
        do_job(state);
        outgoing.result.after = environment(state);
    } catch (const Error& error) {
        outgoing.result.failure = text::one_line(error.what());
    } catch (const fs::filesystem_error& error) {
        outgoing.result.failure =
            text::one_line(std::string("working on this disk: ") + error.what());
    }
    const bool began = runner_.count() > ran_before && !state.machine_lacks;
    if (!outgoing.result.failure.empty() && !began && !control.stop()) {
        outgoing.result.fault = state.fault;
    }
    folders_.cache.trim(most_build_cache);
    cache_.release_all();
    return outgoing;
}

void JobRunner::do_job(State& state) {
    for (int i = 0; i < static_cast<int>(state.lease.builds.size()); ++i) prepare(state, i);
    provide_programs(state);
    for (const auto& group : group_steps(state.lease.plan, numbered_products(state))) {
        check_not_stopped(state.control);
        run_group(state, group);
    }
}

/// Builds of equal content get equal numbers.
std::vector<int> JobRunner::numbered_products(const State& state) {
    std::vector<int> numbers(state.lease.builds.size(), -1);
    std::map<Digest, int> known;
    for (const auto& [index, product] : state.products) {
        const auto next = static_cast<int>(known.size());
        numbers[static_cast<std::size_t>(index)] =
            known.try_emplace(product.digest, next).first->second;
    }
    return numbers;
}

void JobRunner::prepare(State& state, int index) {
    check_not_stopped(state.control);
    const auto& order = state.lease.builds[static_cast<std::size_t>(index)];
    auto product = order.product;
    if (product) {
        state.control.set_progress("fetching build " + order.revision.brief());
        try {
            fetch(state, *product);
        } catch (const Error& error) {
            if (error.code() != Errc::not_found || !order.build_here) throw;
            product.reset();  // the service has dropped it since; it can be made again
            state.fault = Fault::worker;
        }
    }
    if (!product && order.build_here) product = make(state, order);
    if (!product) return;
    for (const auto& [other, made] : state.products) {
        if (made.digest != *product) continue;
        state.products[index] = made;  // equal content is unpacked once
        return;
    }
    const auto folder = folders_.work / fmt::format("product-{}", index);
    archive::unpack(cache_.load(*product), folder);
    state.products[index] = {*product, folder};
}

/// What cannot be had of the service is the job's misfortune: every worker would meet it.
fs::path JobRunner::fetch(State& state, const Digest& digest) {
    state.fault = Fault::job;
    const auto file = cache_.fetch(digest, service_);
    state.fault = Fault::worker;
    return file;
}

std::optional<Digest> JobRunner::make(State& state, const BuildOrder& order) {
    state.control.set_progress("building " + order.revision.brief());
    log_info(
        "build.started",
        {{"job", state.lease.job.value},
         {"build", order.id.value},
         {"revision", order.revision.str()},
         {"traceparent", trace_of(state.lease)}});
    const auto start = std::chrono::steady_clock::now();
    auto place = place_to_build();
    place.ccache = folders_.cache;
    place.ccache_access = folders_.cache.access_for(state.lease.purpose);
    const auto input = fetch(state, order.input);
    const auto report = build_input(runner_, input, order.recipe, place, state.control.stop());
    if (report.stopped) check_not_stopped(state.control);
    BuildOutcome outcome;
    outcome.id = order.id;
    outcome.built = report.built;
    outcome.message = text::one_line(report.message);
    outcome.log = add_log(state, report.log);
    if (report.built) {
        outcome.product = cache_.adopt(place.product);
        state.outgoing.contents[*outcome.product] = {
            ContentKind::product, cache_.load(*outcome.product)};
    }
    outcome.duration_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(
                              std::chrono::steady_clock::now() - start)
                              .count();
    log_info(
        "build.ended",
        {{"job", state.lease.job.value},
         {"build", order.id.value},
         {"built", outcome.built},
         {"seconds", fmt::format("{:.1f}", static_cast<double>(outcome.duration_ns) * 1e-9)},
         {"why", outcome.message},
         {"traceparent", trace_of(state.lease)}});
    state.outgoing.result.builds.push_back(outcome);
    clear_away(place.tree);
    return outcome.product;
}

BuildPlace JobRunner::place_to_build() const {
    return {folders_.work / "build", folders_.work / "scratch", {}, folders_.work / "product.tar"};
}

/// What is built already is built once more: its product is not looked at.
RunOutcome JobRunner::time_build(State& state, int number) {
    const auto& step = state.lease.plan.steps[static_cast<std::size_t>(number)];
    const auto& order = state.lease.builds[static_cast<std::size_t>(step.build)];
    const auto place = place_to_build();
    const auto input = fetch(state, order.input);
    const auto recipe = without_caches(order.recipe);
    const auto report = build_input(runner_, input, recipe, place, state.control.stop());
    clear_away(place.tree);
    if (report.stopped) check_not_stopped(state.control);
    auto outcome = build_time(number, report);
    outcome.log = add_log(state, report.log);
    return outcome;
}

JobRunner::ProgramKey JobRunner::program_key(const State& state, const Step& step) const {
    const auto& plan = state.lease.plan.benchmarks[static_cast<std::size_t>(step.benchmark)];
    const bool needs_any = !bench_.models_for(plan.command).empty();
    return {step.build, plan.folder.value_or(""), needs_any ? state.models : BenchModels()};
}

void JobRunner::provide_programs(State& state) {
    state.models = bench_.models_for(state.lease.plan);
    for (const auto& step : state.lease.plan.steps) {
        const auto& plan = state.lease.plan.benchmarks[static_cast<std::size_t>(step.benchmark)];
        const auto product = state.products.find(step.build);
        if (plan.kind != BenchmarkKind::torch || product == state.products.end()) continue;
        if (!why_unsupported(state, step).empty()) continue;
        const auto key = program_key(state, step);
        if (state.programs.count(key) != 0) continue;
        check_not_stopped(state.control);
        state.control.set_progress("providing vigil-bench");
        state.machine_lacks = true;  // it throws for nothing else
        auto program = bench_.provide(
            product->second.folder / plan.folder.value_or(""),
            plan.folder ? wire::sha256(product->second.digest.str() + "/" + *plan.folder)
                        : product->second.digest,
            std::get<BenchModels>(key),
            folders_.cache,
            state.control.stop());
        state.machine_lacks = false;
        check_not_stopped(state.control);
        if (program.folder.empty()) {
            log_error("bench.not_compiled", {{"why", text::one_line(program.message)}});
        }
        state.programs[key] = std::move(program);
    }
}

RunRequest JobRunner::request_for(const State& state, const Step& step) const {
    const auto& plan = state.lease.plan.benchmarks[static_cast<std::size_t>(step.benchmark)];
    RunRequest request;
    request.command = plan.command;
    request.environment = state.lease.environment;
    start_by(state.launches.at(static_cast<std::size_t>(step.benchmark)), plan, request);
    request.limits = plan.limits;
    request.folder = state.products.at(step.build).folder / plan.folder.value_or("");
    request.scratch = folders_.work / "scratch";
    request.stop = &state.control.stop();
    if (plan.kind == BenchmarkKind::torch) {
        const auto& program = state.programs.at(program_key(state, step));
        const auto shown = runner_.sandboxed() ? fs::path(bench_path) : program.folder;
        request.command.insert(request.command.begin(), (shown / bench_program_name).string());
        request.mounts.push_back({program.folder, bench_path, MountAccess::read_only});
    }
    return request;
}

void JobRunner::run_group(State& state, const std::vector<int>& group) {
    const auto& steps = state.lease.plan.steps;
    const auto& first = steps[static_cast<std::size_t>(group.front())];
    const auto& plan = state.lease.plan.benchmarks[static_cast<std::size_t>(first.benchmark)];
    state.control.set_progress(fmt::format(
        "run {} of {}: {} {}", group.front() + 1, steps.size(), plan.benchmark, plan.variant));
    std::vector<RunRequest> requests;
    std::vector<int> running;
    for (const int number : group) {
        const auto& step = steps[static_cast<std::size_t>(number)];
        if (const auto why = why_unsupported(state, step); !why.empty()) {
            auto outcome = outcome_now(number, Outcome::unsupported, why);
            state.outgoing.result.runs.push_back(std::move(outcome));
            continue;
        }
        const auto program = state.programs.find(program_key(state, step));
        if (plan.kind == BenchmarkKind::torch && program->second.folder.empty()) {
            state.outgoing.result.runs.push_back(without_program(state, number, program->second));
            continue;
        }
        if (plan.kind == BenchmarkKind::artifact) {
            const auto folder = state.products.at(step.build).folder / plan.folder.value_or("");
            state.outgoing.result.runs.push_back(measure_artifact(number, folder, plan.command));
            continue;
        }
        if (plan.kind == BenchmarkKind::build) {
            state.outgoing.result.runs.push_back(time_build(state, number));
            continue;
        }
        auto request = request_for(state, step);
        if (group.size() > 1) request.scratch += fmt::format("-{}", running.size());
        make_fresh(request.scratch);
        if (plan.profiled) {
            auto outcome = profile_step(runner_, request, plan, number);
            check_not_stopped(state.control);
            state.outgoing.result.runs.push_back(std::move(outcome));
            continue;
        }
        requests.push_back(std::move(request));
        running.push_back(number);
    }
    const auto sharing =
        plan.samples.format == SampleFormat::none ? Sharing::processor : Sharing::turns;
    const auto company = requests.size() > 1 ? Company::some : Company::none;
    const auto reports = requests.size() > 1
                             ? run_together(runner_, requests, sharing, folders_.work / "turns")
                         : requests.empty() ? std::vector<RunReport>{}
                                            : std::vector{runner_.run(requests.front())};
    for (std::size_t i = 0; i < reports.size(); ++i) {
        if (reports[i].end == RunEnd::stopped) check_not_stopped(state.control);
    }
    for (std::size_t i = 0; i < reports.size(); ++i) {
        state.outgoing.result.runs.push_back(
            outcome_of(state, running[i], company, requests[i], reports[i]));
    }
}

std::string JobRunner::why_unsupported(const State& state, const Step& step) {
    const auto& plan = state.lease.plan.benchmarks[static_cast<std::size_t>(step.benchmark)];
    if (plan.callgrind || plan.profiled) {
        const auto by = plan.profiled ? plan.profiler : Profiler::callgrind;
        if (auto why = why_no_profiler(by); !why.empty()) return why;
    }
    const auto product = state.products.find(step.build);
    if (!plan.folder || product == state.products.end()) return "";
    const auto folder = product->second.folder / *plan.folder;
    std::error_code missing;
    const bool is_there = fs::is_directory(fs::symlink_status(folder, missing));
    if (is_there && !fs::is_empty(folder, missing)) return "";
    return "this build has nothing in its folder " + *plan.folder;
}

RunOutcome JobRunner::without_program(State& state, int number, const BenchProgram& program) {
    auto outcome = outcome_now(number);
    outcome.message =
        text::one_line("vigil-bench does not compile against this build: " + program.message);
    outcome.log = add_log(state, program.log);
    return outcome;
}

RunOutcome JobRunner::outcome_of(
    State& state, int number, Company company, const RunRequest& request, const RunReport& report) {
    const auto& step = state.lease.plan.steps[static_cast<std::size_t>(number)];
    const auto& plan = state.lease.plan.benchmarks[static_cast<std::size_t>(step.benchmark)];
    auto outcome = outcome_now(number);
    auto samples = guarded_samples_of(report, plan, company);
    if (report.started_at_ns > 0) outcome.started_at_ns = report.started_at_ns;
    outcome.duration_ns = report.wall_time_ns;
    outcome.outcome = samples.outcome;
    outcome.message = text::one_line(samples.message);
    outcome.samples = std::move(samples.samples);
    outcome.facts = std::move(samples.facts);
    outcome.case_failures = std::move(samples.case_failures);
    outcome.log = add_log(state, log_text(request, report));
    log_info(
        "run.ended",
        {{"job", state.lease.job.value},
         {"step", number},
         {"benchmark", plan.benchmark},
         {"variant", plan.variant},
         {"outcome", to_string(outcome.outcome)},
         {"seconds", fmt::format("{:.3f}", static_cast<double>(outcome.duration_ns) * 1e-9)},
         {"why", outcome.message},
         {"traceparent", trace_of(state.lease)}});
    return outcome;
}

Digest JobRunner::add_log(State& state, const std::string& text) {
    const auto digest = wire::sha256(text);
    const auto file = folders_.work / "logs" / digest.str();
    std::ofstream out(file, std::ios::binary);
    out << text << std::flush;
    if (!out.good()) give_up("writing a log: the disk is full or fails");
    state.outgoing.contents[digest] = {ContentKind::log, file};
    return digest;
}

}  // namespace vigil::worker
