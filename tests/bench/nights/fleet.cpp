#include "tests/bench/nights/fleet.hpp"

#include <ctime>

#include <nlohmann/json.hpp>

#include "schema/wire/digest.hpp"
#include "service/api/fleet/worker_protocol.hpp"
#include "service/report/report_step.hpp"
#include "service/schedule/job_queue.hpp"
#include "service/schedule/job_result.hpp"
#include "service/schedule/leases.hpp"
#include "service/schedule/trigger.hpp"
#include "service/source/nightly_source.hpp"
#include "service/source/versions.hpp"
#include "service/store/content_index.hpp"
#include "service/store/findings/bisections.hpp"
#include "service/store/findings/fixes.hpp"
#include "service/store/ids.hpp"
#include "service/store/migrate.hpp"
#include "service/store/steady.hpp"
#include "service/store/work/builds.hpp"
#include "service/store/workers.hpp"
#include "service/watch/health_checks.hpp"
#include "service/watch/night/nightlies.hpp"
#include "service/watch/quarantine.hpp"
#include "service/watch/recover/fix.hpp"
#include "service/watch/search/bisect.hpp"
#include "service/watch/search/breakage.hpp"
#include "service/watch/watch.hpp"
#include "tests/bench/nights/read_back.hpp"

namespace vigil::nights {

using namespace vigil::service;

namespace {

constexpr const char* project_name = "sim";
constexpr std::int64_t day_s = 86'400;
constexpr std::int64_t first_night_s = 1'700'000'000;
constexpr std::int64_t round_s = 60;  // in which every worker does one job
constexpr std::int64_t run_ns = 10'000'000'000;
constexpr std::int64_t build_ns = 300'000'000'000;
constexpr std::int64_t content_bytes = 1000;
constexpr int max_rounds = 20'000;
constexpr int max_moves = 50;  // of a night, before the others get their turn

double cpu_s() {
    timespec used{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

Config make_config(const World& world) {
    nlohmann::json suite = nlohmann::json::object();
    for (const auto& name : world.benchmarks()) {
        suite[name] = {
            {"command", {"./bench"}},
            {"samples",
             {{"format", "lines"},
              {"printed", "reported_value"},
              {"unit", "items/s"},
              {"direction", "higher_is_better"}}}};
    }
    nlohmann::json classes = nlohmann::json::object();
    for (const auto& name : world.classes()) classes[name] = nlohmann::json::object();
    nlohmann::json workers = nlohmann::json::object();
    for (const auto& [name, of] : world.workers()) workers[name] = {{"machine_class", of}};
    std::vector<std::string> judged;
    for (const auto& one : world.series()) {
        if (one.benchmark == "b000" && one.machine_class == "m1") {
            judged.emplace_back(to_string(one.metric));
        }
    }
    nlohmann::json project = {
        {"source", {{"kind", "git"}, {"repository", "/nowhere"}, {"branch", "main"}}},
        {"recipe", {{"commands", {"true"}}, {"outputs", {"number"}}}},
        {"suites", {{"s", suite}}},
        {"matrix", {{{"suite", "s"}, {"machine_classes", world.classes()}}}},
        {"judged", judged},
        {"reports", {"folder"}}};
    nlohmann::json config = {
        {"state_dir", "/nowhere"},
        {"machine_classes", classes},
        {"workers", workers},
        {"report_targets", {{"folder", {{"kind", "folder"}, {"path", "/nowhere"}}}}},
        {"projects", {{project_name, project}}}};
    return parse_config(config.dump(), "simulated");
}

Database make_ledger() {
    auto db = Database::open_writer(":memory:");
    migrate(db);
    return db;
}

/// A worker with the job that it has under lease.
struct Busy {
    std::size_t worker = 0;
    WorkerId id;
    Lease lease;
};

class Fleet {
  public:
    explicit Fleet(const World& world)
        : world_(world),
          config_(make_config(world)),
          db_(make_ledger()),
          reader_(world, config_, db_) {}

    Record play();

  private:
    template <class Work>
    void transact(Work work) {
        Transaction transaction(db_);
        work();
        transaction.commit();
    }
    void play_night();
    NightlyId begin_night();
    void tick();
    bool supply_suspects();
    bool supply_trees();
    bool work();
    Busy claim(std::size_t worker);
    void answer(const Busy& busy);
    BuildOutcome build(const BuildOrder& order, Purpose purpose);
    void run(const Busy& busy, const std::vector<std::optional<int>>& commits, JobResult& result);
    bool is_over(NightlyId nightly);
    void look_after_workers();

    const World& world_;
    const Config config_;
    Database db_;
    Reader reader_;
    Record record_;
    std::int64_t now_s_ = first_night_s;
    int night_ = 0;
    bool looked_ = false;  ///< tonight
    double world_cpu_s_ = 0;
    std::map<std::pair<std::string, std::string>, int> numbers_;  ///< jobs tonight
};

Record Fleet::play() {
    for (night_ = 0; night_ < world_.options().nights; ++night_) {
        const double begin = cpu_s();
        world_cpu_s_ = 0;
        play_night();
        if (!record_.stuck.empty()) break;
        const double read_begin = cpu_s();
        look_after_workers();
        reader_.read_reports(record_, night_, now_s_);
        const double end = cpu_s();
        record_.service_cpu_s.push_back(read_begin - begin - world_cpu_s_);
        record_.world_cpu_s.push_back(world_cpu_s_ + end - read_begin);
        ++record_.played;
    }
    reader_.read_all(record_, now_s_);
    return std::move(record_);
}

NightlyId Fleet::begin_night() {
    const auto cause = "request:" + std::to_string(night_);
    transact([&] {
        const auto project = ensure_project(db_, project_name, now_s_);
        request_nightly(db_, project, TriggerCause::request, cause, std::nullopt, now_s_);
    });
    std::optional<NightlyId> nightly;
    transact([&] {
        const int commit = world_.commits().tip(night_);
        NightlyOffer offer;
        offer.revision = world_.commits().revision(commit);
        offer.version = offer.revision.brief();
        offer.day = day_of(world_.commits().committed_at_s(commit));
        for (const auto& trigger : take_due_triggers(db_, 0, now_s_)) {
            record_nightly(db_, trigger.id, config_.projects.at(project_name), offer, now_s_);
            nightly = db_.find<NightlyId>(
                "SELECT nightly_id FROM trigger_request WHERE id = ?1", trigger.id);
            note_source(db_, trigger.project, project_name, std::nullopt, now_s_);
        }
    });
    return nightly.value();
}

void Fleet::play_night() {
    now_s_ = std::max(now_s_ + round_s, first_night_s + night_ * day_s);
    numbers_.clear();
    looked_ = false;
    const auto nightly = begin_night();
    record_.nights[nightly.value] = night_;
    for (int round = 0; round < max_rounds; ++round) {
        tick();
        const bool suspects = supply_suspects();
        const bool trees = supply_trees();
        const bool worked = work();
        if (suspects || trees || worked) continue;
        if (is_over(nightly)) return;
        break;
    }
    record_.stuck.push_back("night " + std::to_string(night_) + " does not end");
}

bool Fleet::is_over(NightlyId nightly) {
    auto rows = db_.query("SELECT state, message FROM nightly WHERE id = ?1", nightly);
    if (!rows.next()) return false;
    const auto state = rows.get<NightlyState>(0);
    if (state == NightlyState::failed) record_.failed.push_back(rows.get<std::string>(1));
    return state == NightlyState::done || state == NightlyState::failed;
}

// The daemon's tick.
void Fleet::tick() {
    std::vector<NightlyId> open;
    transact([&] {
        store_steady_s(db_, now_s_);
        expire_leases(db_, config_.jobs, now_s_);
        cancel_unclaimed(db_, config_.jobs, now_s_);
        if (!looked_) check_health(db_, config_, now_s_);
        looked_ = true;
        open = list_open_nightlies(db_);
    });
    for (const auto nightly : open) {
        bool moves = true;
        for (int i = 0; moves && i < max_moves; ++i) {
            transact([&] { moves = advance_nightly(db_, config_, nightly, now_s_); });
        }
    }
    transact([&] { report_step(db_, config_, now_s_); });
    for (const auto& missing : list_missing_logs(db_, 100)) {
        transact([&] { record_log_tail(db_, missing.bisection, "", now_s_); });
    }
}

// What the daemon asks of a repository.
bool Fleet::supply_suspects() {
    const auto all = list_missing_suspects(db_, 100);
    for (const auto& missing : all) {
        transact([&] {
            if (!missing.unreadable.empty()) {
                quarantine_bisection(db_, missing.bisection, missing.unreadable, now_s_);
                return;
            }
            const auto range = world_.commits().range(missing.good, missing.bad);
            record_suspects(
                db_, config_.projects.at(project_name), missing.bisection, range, now_s_);
        });
    }
    const auto fixes = list_missing_fixes(db_, 100);
    for (const auto& missing : fixes) {
        transact([&] {
            FixCommits commits;
            const auto range = world_.commits().range(missing.bad, missing.fixed);
            commits.range.line_commits = static_cast<std::int64_t>(range.suspects.size());
            record_fix(db_, config_, missing.fix, commits, now_s_);
        });
    }
    return !all.empty() || !fixes.empty();
}

bool Fleet::supply_trees() {
    const auto all = list_missing_sources(db_, 100, find_project(db_, project_name).value());
    for (const auto& missing : all) {
        transact([&] {
            const auto tree = wire::sha256("tree " + missing.revision.str());
            record_content(db_, tree, content_bytes, ContentKind::source, now_s_);
            record_source(db_, missing.build, {.tree = tree, .describe = {}, .notes = {}});
        });
    }
    return !all.empty();
}

// Every worker claims, then every worker answers.
bool Fleet::work() {
    std::vector<Busy> busy;
    for (std::size_t i = 0; i < world_.workers().size(); ++i) {
        auto one = claim(i);
        if (one.lease.attempt > 0) busy.push_back(std::move(one));
    }
    if (busy.empty()) return false;
    now_s_ += round_s;
    for (const auto& one : busy) answer(one);
    return true;
}

Busy Fleet::claim(std::size_t worker) {
    Busy busy{worker, {}, {}};
    const auto& name = world_.workers()[worker].first;
    ClaimRequest request;
    request.fingerprint.cpu_model = "simulated";
    request.fingerprint.cpus = 2;
    request.fingerprint.memory_bytes = std::int64_t{1} << 34;
    request.fingerprint.toolchain = "none";
    transact([&] {
        const HandlerContext context{config_, now_s_, now_s_ * 1'000'000'000, now_s_};
        busy.id = greet_worker(db_, name, request, context);
        auto lease = claim_job(db_, config_, busy.id, now_s_);
        if (lease) busy.lease = std::move(*lease);
    });
    return busy;
}

BuildOutcome Fleet::build(const BuildOrder& order, Purpose purpose) {
    const int commit = world_.commits().number(order.revision.str());
    ++record_.built[{night_, std::string(to_string(purpose))}];
    BuildOutcome made;
    made.id = order.id;
    made.built = !world_.commits().is_broken(commit);
    made.duration_ns = build_ns;
    if (!made.built) {
        made.message = "number.h: no such file";
        return made;
    }
    made.product = wire::sha256("product of commit " + std::to_string(commit));
    transact(
        [&] { record_content(db_, *made.product, content_bytes, ContentKind::product, now_s_); });
    return made;
}

void Fleet::run(
    const Busy& busy, const std::vector<std::optional<int>>& commits, JobResult& result) {
    const auto& [name, machine_class] = world_.workers()[busy.worker];
    const auto& plan = busy.lease.plan;
    const auto purpose = busy.lease.purpose;
    std::map<int, Values> all;
    for (std::size_t k = 0; k < plan.benchmarks.size(); ++k) {
        const auto& benchmark = plan.benchmarks[k].benchmark;
        std::vector<int> mine;
        std::vector<int> measured;
        for (std::size_t i = 0; i < plan.steps.size(); ++i) {
            const auto& commit = commits[static_cast<std::size_t>(plan.steps[i].build)];
            if (plan.steps[i].benchmark != static_cast<int>(k) || !commit) continue;
            mine.push_back(static_cast<int>(i));
            measured.push_back(*commit);
        }
        record_.runs[{night_, std::string(to_string(purpose)), machine_class, benchmark}] +=
            static_cast<int>(mine.size());
        const double begin = cpu_s();
        const int number = numbers_[{machine_class, benchmark}]++;
        const bool is_nightly = purpose == Purpose::nightly;
        auto values =
            world_.measure(machine_class, benchmark, name, is_nightly, night_, number, measured);
        for (std::size_t i = 0; i < mine.size(); ++i) all[mine[i]] = std::move(values[i]);
        world_cpu_s_ += cpu_s() - begin;
    }
    for (auto& [step, values] : all) {
        RunOutcome one;
        one.step = step;
        one.outcome = Outcome::passed;
        one.started_at_ns = now_s_ * 1'000'000'000 + step;
        one.duration_ns = run_ns;
        for (const auto& [metric, value] : values) one.samples.push_back({metric, {value}});
        result.runs.push_back(std::move(one));
    }
}

// What a worker uploads, and what the handler of its route does with it.
void Fleet::answer(const Busy& busy) {
    JobResult result;
    std::vector<std::optional<int>> commits;
    for (const auto& order : busy.lease.builds) {
        const int commit = world_.commits().number(order.revision.str());
        commits.emplace_back(commit);
        if (order.product) continue;
        result.builds.push_back(build(order, busy.lease.purpose));
        if (!result.builds.back().built) commits.back().reset();
    }
    run(busy, commits, result);
    result.before.facts = {{"kernel", "simulated"}};
    result.after.facts = result.before.facts;
    const auto written = write_result(std::move(result));
    transact([&] {
        finish_job(db_, config_.jobs, busy.lease.job, busy.lease.attempt, busy.id, written, now_s_);
    });
    ++record_.jobs[{night_, std::string(to_string(busy.lease.purpose))}];
}

// A person lets those go on that were held and will be well.
void Fleet::look_after_workers() {
    for (const auto& name : reader_.held_workers(now_s_)) {
        if (world_.is_sick(name, night_ + 1)) continue;
        const bool was_sick = world_.is_sick(name, night_);
        record_.released.push_back(
            "night " + std::to_string(night_) + " " + name + (was_sick ? " mended" : " healthy"));
        transact([&] { release_worker(db_, name, now_s_); });
    }
}

}  // namespace

Record play(const World& world) {
    return Fleet(world).play();
}

}  // namespace vigil::nights
