#include "tests/support/fleet.hpp"

#include <algorithm>
#include <cmath>

#include "schema/wire/digest.hpp"
#include "service/schedule/job_queue.hpp"
#include "service/schedule/job_result.hpp"
#include "service/schedule/leases.hpp"
#include "service/schedule/trigger.hpp"
#include "service/schedule/worker_state.hpp"
#include "service/store/findings/bisections.hpp"
#include "service/store/findings/fixes.hpp"
#include "service/store/ids.hpp"
#include "service/store/migrate.hpp"
#include "service/store/steady.hpp"
#include "service/store/work/builds.hpp"
#include "service/watch/night/nightlies.hpp"
#include "service/watch/quarantine.hpp"
#include "service/watch/recover/fix.hpp"
#include "service/watch/search/bisect.hpp"
#include "service/watch/search/breakage.hpp"
#include "service/watch/search/nights_between.hpp"
#include "service/watch/watch.hpp"

namespace vigil::tests {

using namespace vigil::service;

namespace {

constexpr int max_rounds = 5000;

Config make_config(const World& world) {
    Config config;
    config.jobs.lease_ttl_s = 60;
    config.jobs.max_lost_attempts = 3;
    ProjectConfig project;
    project.name = "lab";
    project.source.kind = SourceKind::git;
    project.recipe.commands = {{"make"}};
    project.recipe.outputs = {"out"};
    if (world.archives) {
        project.source.kind = SourceKind::directory;
        project.source.repository = "https://example.org/lab.git";
        project.source_recipe = project.recipe;
        project.source_recipe->commands = {{"make", "all"}};
    }
    for (const auto& variant : world.variants) {
        BenchmarkPlan plan;
        plan.benchmark = "model";
        plan.variant = variant;
        plan.command = {"./run"};
        plan.interleave = world.interleave;
        if (world.cases > 0) {
            plan.samples.format = SampleFormat::harness;
            plan.cases = CasePlan{{"*"}, {"--only=^{case}$"}, ""};
        }
        project.suites["core"].push_back(plan);
    }
    project.matrix.push_back({"core", world.machine_classes});
    config.projects["lab"] = project;
    for (const auto& name : world.machine_classes) {
        config.machine_classes[name] = {};
        config.workers[name + "-1"] = {name};
        config.workers[name + "-2"] = {name};
    }
    return config;
}

std::string message_of(const World& world, int commit) {
    const auto own = world.messages.find(commit);
    return own == world.messages.end() ? "commit " + std::to_string(commit) : own->second;
}

std::string subject_of(const World& world, int commit) {
    const auto message = message_of(world, commit);
    return message.substr(0, message.find('\n'));
}

Database open(const std::string& file) {
    Database db = Database::open_writer(file);
    migrate(db);
    return db;
}

// What a merge brought, as the commits by which it moves a dependency.
history::Range moved_commits(const CommitGraph& graph, const history::Range& moving) {
    const auto& last = moving.suspects.back();
    auto range = graph.range(last.parent, last.brought.front());
    range.suspects.push_back(last);
    range.suspects.back().parent = last.brought.front();
    for (auto& commit : range.suspects) {
        commit.stands_for = commit.revision;
        commit.brought.clear();
        commit.merge = false;
    }
    return range;
}

}  // namespace

Fleet::Fleet(World world, const std::string& ledger_file)
    : world_(std::move(world)),
      graph_(world_.commits, world_.branches),
      config_(make_config(world_)),
      file_(ledger_file),
      db_(open(file_)),
      random_(world_.seed) {
    for (std::size_t i = 0; i < world_.revisions.size(); ++i) {
        graph_.name(static_cast<int>(i), world_.revisions[i]);
    }
    Transaction transaction(db_);
    for (const auto& [name, worker] : config_.workers) show(name);
    transaction.commit();
}

void Fleet::transact(const std::function<void(Database&)>& work) {
    for (;;) {
        {
            Transaction transaction(db_);
            work(db_);
            if (!kill()) {
                transaction.commit();
                return;
            }
        }
        ++kills_;
        db_ = open(file_);
    }
}

void Fleet::show(const std::string& worker) {
    Fingerprint fingerprint;
    // Classes build alike, except where one cannot build what another can.
    fingerprint.toolchain = world_.broken_on.empty()
                                ? "toolchain"
                                : "toolchain of " + config_.workers.at(worker).machine_class;
    upsert_worker(db_, config_, worker, fingerprint, false, now_s_);
}

bool Fleet::comes(const std::string& worker) const {
    return config_.workers.at(worker).machine_class != world_.absent && !stopped_.contains(worker);
}

void Fleet::stop(const std::string& worker) {
    stopped_.insert(worker);
    db_.execute("UPDATE worker SET last_seen_at_s = 0 WHERE name = ?1", worker);
}

history::ClaimedRange Fleet::claims(const Revision& bad, const Revision& fixed) const {
    history::ClaimedRange claimed;
    if (bad == fixed) return claimed;
    if (!world_.repository.empty()) return history::list_claims(world_.repository, bad, fixed);
    const auto range = graph_.range(bad, fixed);
    const auto add = [&](const Revision& revision, const Revision& merge) {
        const auto message = message_of(world_, graph_.number(revision));
        claimed.commits.push_back(
            {.revision = revision,
             .merge = merge,
             .subject = message.substr(0, message.find('\n')),
             .author = "somebody",
             .claims = history::read_claims(message)});
    };
    for (const auto& commit : range.suspects) {
        for (const auto& tip : commit.brought) {
            for (const auto& one : graph_.range(commit.parent, tip).suspects) {
                add(one.revision, commit.revision);
            }
        }
        add(commit.revision, {});
        ++claimed.line_commits;
    }
    return claimed;
}

// What the git lane does in the daemon.
bool Fleet::supply() {
    bool moved = false;
    for (const auto& missing : list_missing_sources(db_, 100, find_project(db_, "lab").value())) {
        transact([&](Database& db) {
            record_source(
                db, missing.build, {wire::sha256("tree " + missing.revision.str()), "", 0, ""});
        });
        moved = true;
    }
    for (const auto& missing : list_missing_suspects(db_, 100)) {
        transact([&](Database& db) {
            if (!missing.unreadable.empty()) {
                quarantine_bisection(db, missing.bisection, missing.unreadable, now_s_);
                return;
            }
            if (missing.of_nights) {
                record_nights_between(db, missing.bisection, passed_over_, now_s_);
                return;
            }
            if (!world_.repository.empty()) {
                const auto real = history::list_range(world_.repository, missing.good, missing.bad);
                record_suspects(db, config_.projects.at("lab"), missing.bisection, real, now_s_);
                return;
            }
            auto range = graph_.range(missing.good, missing.bad);
            if (!missing.dependency.empty()) range = moved_commits(graph_, range);
            for (auto& commit : range.suspects) {
                const int number = graph_.number(commit.revision);
                commit.subject = subject_of(world_, number);
                if (!commit.stands_for.empty() || !world_.moves.contains(number)) continue;
                commit.brought.clear();
                commit.merge = false;
                commit.dependency = "lib";
            }
            record_suspects(db, config_.projects.at("lab"), missing.bisection, range, now_s_);
        });
        moved = true;
    }
    for (const auto& missing : list_missing_fixes(db_, 100)) {
        if (slow_texts > 0) {
            --slow_texts;
            moved = true;
            continue;
        }
        transact([&](Database& db) {
            const FixCommits commits{claims(missing.bad, missing.fixed)};
            record_fix(db, config_, missing.fix, commits, now_s_);
        });
        moved = true;
    }
    moved |= supply_names();
    for (const auto& missing : list_missing_logs(db_, 100)) {
        transact([&](Database& db) {
            record_log_tail(db, missing.bisection, "it does not compile\n", now_s_);
        });
        moved = true;
    }
    return moved;
}

void Fleet::night(int commit) {
    arrive(commit, false);
}

void Fleet::ask(int commit) {
    arrive(commit, true);
}

void Fleet::pass_over(int commit) {
    now_s_ += 86'400;
    ++nights_;
    passed_over_.push_back(offer_of(commit));
}

NightlyOffer Fleet::offer_of(int commit) {
    NightlyOffer offer;
    offer.version = "night-" + std::to_string(nights_);
    offer.day = "2026-01-" + std::string(nights_ < 10 ? "0" : "") + std::to_string(nights_);
    offer.revision = Revision(revision(commit));
    if (!world_.archives) return offer;
    offer.input_kind = InputKind::archive;
    offer.input = wire::sha256("archive of " + offer.version);
    offer.input_bytes = 1;
    return offer;
}

void Fleet::arrive(int commit, bool by_name) {
    now_s_ += 86'400;
    ++nights_;
    TriggerId trigger;
    transact([&](Database& db) {
        const auto project = ensure_project(db, "lab", now_s_);
        trigger = request_nightly(
            db,
            project,
            TriggerCause::request,
            "request:" + std::to_string(nights_),
            by_name ? std::optional(revision(commit)) : std::nullopt,
            now_s_);
    });
    auto offer = offer_of(commit);
    const auto lab = find_project(db_, "lab");
    const auto newest = lab ? find_newest_night(db_, *lab) : std::nullopt;
    if (by_name && newest && graph_.holds(graph_.number(newest->revision), commit)) {
        offer.standing = Standing::not_newer;
    }
    transact([&](Database& db) {
        record_nightly(db, trigger, config_.projects.at("lab"), offer, now_s_, first_id);
    });
    settle();
}

bool Fleet::play_round() {
    bool moved = false;
    list_past_days();
    transact([&](Database& db) { moved |= advance_backfills(db, config_, now_s_); });
    for (const auto open : list_open_nightlies(db_)) {
        transact([&](Database& db) { moved |= advance_nightly(db, config_, open, now_s_); });
    }
    moved |= advance_requests();
    moved |= supply();
    moved |= work_once();
    return moved;
}

void Fleet::settle() {
    for (int round = 0; round < max_rounds; ++round) {
        if (!play_round()) return;
    }
    throw Error(Errc::internal, "the night does not end; seed " + std::to_string(world_.seed));
}

std::vector<std::string> Fleet::culprits() {
    std::vector<std::string> found;
    auto rows = db_.query("SELECT culprit FROM regression WHERE culprit IS NOT NULL ORDER BY id");
    while (rows.next()) found.push_back(rows.get<std::string>(0));
    return found;
}

int Fleet::count(const std::string& table, const std::string& condition) {
    return db_.find<int>("SELECT COUNT(*) FROM " + table + " WHERE " + condition).value_or(0);
}

}  // namespace vigil::tests
