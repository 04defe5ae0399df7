#include "tests/bench/nights/fleet.hpp"

#include <algorithm>
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
#include "tests/bench/nights/supply.hpp"

namespace vigil::nights {

using namespace vigil::service;

namespace {

constexpr std::int64_t day_s = 86'400;
constexpr std::int64_t first_night_s = 1'700'000'000;
constexpr std::int64_t round_s = 60;  // in which every worker does one job
constexpr std::int64_t second_ns = 1'000'000'000;
constexpr int max_rounds = 20'000;
constexpr int max_moves = 50;  // of a night, before the others get their turn

double cpu_s() {
    timespec used{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

Database make_ledger(const std::string& file) {
    auto db = Database::open_writer(file);
    migrate(db);
    return db;
}

/// A worker with the job that it has under lease.
struct Busy {
    std::size_t worker = 0;
    WorkerId id;
    Lease lease;
    std::int64_t ends_s = 0;  ///< where jobs take their time
};

class Fleet {
  public:
    Fleet(const World& world, const Playing& playing)
        : world_(world),
          playing_(playing),
          config_(make_config(world)),
          db_(make_ledger(playing.ledger)),
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
    bool work();
    bool work_on();
    void claim_where_idle();
    void let_time_pass();
    std::int64_t duration_s(const Lease& lease) const;
    WorkerId greet(std::size_t worker);
    Busy claim(std::size_t worker);
    void answer(const Busy& busy);
    BuildOutcome build(const BuildOrder& order, Purpose purpose);
    void run(const Busy& busy, const std::vector<std::optional<int>>& commits, JobResult& result);
    bool is_over(NightlyId nightly);
    void look_after_workers();

    const World& world_;
    const Playing playing_;
    const Config config_;
    Database db_;
    Reader reader_;
    Record record_;
    std::int64_t now_s_ = first_night_s;
    int night_ = 0;
    bool looked_ = false;  ///< tonight
    double world_cpu_s_ = 0;
    double longest_step_s_ = 0;         ///< of the night
    std::map<std::size_t, Busy> busy_;  ///< by worker, where jobs take their time
    std::map<std::pair<std::string, std::string>, int> numbers_;  ///< jobs tonight
};

Record Fleet::play() {
    for (night_ = 0; night_ < world_.options().nights; ++night_) {
        const double begin = cpu_s();
        world_cpu_s_ = 0;
        longest_step_s_ = 0;
        play_night();
        if (!record_.stuck.empty()) break;
        const double read_begin = cpu_s();
        look_after_workers();
        reader_.read_reports(record_, night_, now_s_);
        const double end = cpu_s();
        record_.service_cpu_s.push_back(read_begin - begin - world_cpu_s_);
        record_.world_cpu_s.push_back(world_cpu_s_ + end - read_begin);
        record_.longest_step_s.push_back(longest_step_s_);
        if (playing_.after_night) playing_.after_night(db_, {record_, night_, now_s_});
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
    now_s_ = std::max(now_s_ + round_s, night_begins_s(night_));
    numbers_.clear();
    looked_ = false;
    const auto nightly = begin_night();
    record_.nights[nightly.value] = night_;
    for (int round = 0; round < max_rounds; ++round) {
        tick();
        bool supplied = false;
        transact([&] { supplied = supply(db_, config_, world_.commits(), now_s_); });
        const bool worked = playing_.is_timed ? work_on() : work();
        if (supplied || worked) continue;
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
        cancel_unclaimed(db_, config_, now_s_);
        if (!looked_) check_health(db_, config_, now_s_);
        looked_ = true;
        open = list_open_nightlies(db_);
    });
    for (const auto nightly : open) {
        bool moves = true;
        for (int i = 0; moves && i < max_moves; ++i) {
            const double begin = cpu_s();
            transact([&] { moves = advance_nightly(db_, config_, nightly, now_s_); });
            longest_step_s_ = std::max(longest_step_s_, cpu_s() - begin);
        }
    }
    transact([&] { report_step(db_, config_, now_s_); });
    for (const auto& missing : list_missing_logs(db_, 100)) {
        transact([&] { record_log_tail(db_, missing.bisection, "", now_s_); });
    }
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

// Whoever is idle claims, then the job that ends first is answered.
bool Fleet::work_on() {
    claim_where_idle();
    if (busy_.empty()) return false;
    let_time_pass();
    const auto ended =
        std::min_element(busy_.begin(), busy_.end(), [](const auto& a, const auto& b) {
            return a.second.ends_s < b.second.ends_s;
        });
    answer(ended->second);
    busy_.erase(ended);
    return true;
}

void Fleet::claim_where_idle() {
    for (std::size_t i = 0; i < world_.workers().size(); ++i) {
        if (busy_.contains(i)) continue;
        auto one = claim(i);
        if (one.lease.attempt == 0) continue;
        one.ends_s = now_s_ + duration_s(one.lease);
        busy_.emplace(i, std::move(one));
    }
}

// Until the first job ends. Nobody is silent meanwhile.
void Fleet::let_time_pass() {
    now_s_ = busy_.begin()->second.ends_s;
    for (const auto& [worker, one] : busy_) now_s_ = std::min(now_s_, one.ends_s);
    for (std::size_t i = 0; i < world_.workers().size(); ++i) {
        const auto one = busy_.find(i);
        transact([&] {
            if (one == busy_.end()) {
                greet(i);
                return;
            }
            const auto& lease = one->second.lease;
            heartbeat(db_, config_.jobs, lease.job, lease.attempt, one->second.id, "", now_s_);
        });
    }
}

std::int64_t Fleet::duration_s(const Lease& lease) const {
    const auto builds = std::count_if(
        lease.builds.begin(), lease.builds.end(), [](const auto& one) { return !one.product; });
    return builds * playing_.build_s +
           static_cast<std::int64_t>(lease.plan.steps.size()) * playing_.run_s;
}

WorkerId Fleet::greet(std::size_t worker) {
    ClaimRequest request;
    request.fingerprint.cpu_model = "simulated";
    request.fingerprint.cpus = 2;
    request.fingerprint.memory_bytes = std::int64_t{1} << 34;
    request.fingerprint.toolchain = "none";
    const HandlerContext context{config_, now_s_, now_s_ * second_ns, now_s_};
    return greet_worker(db_, world_.workers()[worker].first, request, context);
}

Busy Fleet::claim(std::size_t worker) {
    Busy busy{worker, {}, {}};
    transact([&] {
        busy.id = greet(worker);
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
    made.duration_ns = playing_.build_s * second_ns;
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
        one.started_at_ns = now_s_ * second_ns + step;
        one.duration_ns = playing_.run_s * second_ns;
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

std::int64_t night_begins_s(int night) {
    return first_night_s + night * day_s;
}

Record play(const World& world, const Playing& playing) {
    return Fleet(world, playing).play();
}

}  // namespace vigil::nights
