#include "bisect/search/driver.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "schema/model/error.hpp"

namespace vigil::search {

namespace {

constexpr int hopeless_runs = 2;  // failed, of a commit without a value: its probe goes no further
constexpr int lost_for_good = 4;  // lost, of a commit without a value: it cannot be run
constexpr int lost_as_failed = 2;

[[noreturn]] void refuse(const std::string& what) {
    throw Error(Errc::invalid_argument, "following a search: " + what);
}

bool waits_for(const ProbeState& probe, int commit) {
    const auto& commits = probe.request.commits;
    return std::find(commits.begin(), commits.end(), commit) != commits.end();
}

bool is_hopeless(const ProbeState& probe, int commit) {
    int failed = 0;
    for (const auto& run : probe.runs) {
        if (run.commit == commit && run.series >= 0) return false;
        if (run.commit == commit) ++failed;
    }
    return failed >= hopeless_runs;
}

bool has_nothing_left(const ProbeState& probe) {
    std::size_t positions = 0;
    int before = -1;
    for (const auto& run : probe.runs) {
        if (run.position != before) ++positions;
        before = run.position;
    }
    const auto& commits = probe.request.commits;
    return positions >= commits.size() ||
           std::any_of(commits.begin(), commits.end(), [&](int commit) {
               return is_hopeless(probe, commit);
           });
}

void observe(const ProbeState& probe, int number, std::vector<Observation>& observations) {
    for (const auto& run : probe.runs) {
        if (run.series < 0) continue;
        observations.push_back(
            {number,
             probe.request.purpose,
             run.commit,
             run.series,
             run.value,
             run.group,
             run.busy});
    }
}

void add_failures(int number, const CommitState& mine, std::vector<Failure>& failures) {
    if (mine.builds_failed > 0 && !mine.built) {
        failures.push_back({number, mine.builds_failed, false});
    }
    const int failed = mine.runs_failed + (mine.runs_lost >= lost_for_good ? lost_as_failed : 0);
    if (failed > 0 && mine.values.empty()) failures.push_back({number, failed, true});
}

}  // namespace

Driver::Driver(int suspects, std::vector<int> refused)
    : suspects_(suspects), refused_(std::move(refused)) {}

void Driver::add(const Event& event) {
    std::visit([this](const auto& one) { take(one); }, event);
}

void Driver::take(const Planned& planned) {
    for (const int commit : planned.request.commits) commit_at(commit);
    probes_.push_back({planned.request, {}});
}

void Driver::take(const Built& built) {
    auto& mine = commit_at(built.commit);
    mine.built = true;
    if (!built.product.empty()) mine.product = built.product;
    if (!built.probe) return;
    auto& probe = probe_at(*built.probe);
    if (!probe.build_failed) return;
    probe.build_failed = false;
    probe.over = has_nothing_left(probe);
}

void Driver::take(const BuildFailed& failed) {
    auto& mine = commit_at(failed.commit);
    mine.builds_failed += failed.times;
    mine.build_failure = failed.why;
    if (!failed.probe) return;
    probe_at(*failed.probe);  // exists
    for (auto& probe : probes_) {
        if (probe.over || !waits_for(probe, failed.commit)) continue;
        probe.build_failed = true;
        probe.over = true;
    }
}

void Driver::take(const Ran& ran) {
    add_run(ran.probe, {ran.position, ran.commit, ran.series, ran.value, ran.group, ran.busy});
    commit_at(ran.commit).values.push_back(ran.value);
}

void Driver::take(const RunFailed& failed) {
    ProbeRun run{failed.position, failed.commit};
    run.why = failed.why;
    add_run(failed.probe, std::move(run));
    auto& mine = commit_at(failed.commit);
    ++(failed.loss == Loss::failed ? mine.runs_failed : mine.runs_lost);
    mine.run_failure = failed.why;
}

void Driver::take(const ProbeEnded& ended) {
    auto& probe = probe_at(ended.probe);
    probe.over = true;
    probe.machine = ended.machine;
    // That no other machine came says nothing of those that are there.
    if (ended.without_runs && probe.request.not_on.empty()) ++lost_probes_;
}

void Driver::add_run(int number, ProbeRun run) {
    commit_at(run.commit);  // exists
    auto& probe = probe_at(number);
    const auto order = [](const ProbeRun& a, const ProbeRun& b) {
        return std::pair(a.position, a.series) < std::pair(b.position, b.series);
    };
    const auto place = std::lower_bound(probe.runs.begin(), probe.runs.end(), run, order);
    if (place != probe.runs.end() && !order(run, *place)) {
        refuse("a run that was measured twice");
    }
    probe.runs.insert(place, std::move(run));
    if (has_nothing_left(probe)) probe.over = true;
}

ProbeState& Driver::probe_at(int number) {
    if (number < 0) {
        const auto session = static_cast<std::size_t>(-1 - number);
        if (session >= sessions_.size()) sessions_.resize(session + 1);
        return sessions_[session];
    }
    if (number >= static_cast<int>(probes_.size())) {
        refuse(fmt::format("probe {} was never asked for", number));
    }
    return probes_[static_cast<std::size_t>(number)];
}

CommitState& Driver::commit_at(int number) {
    if (number < 0 || number > suspects_) refuse(fmt::format("there is no commit {}", number));
    return commits_[number];
}

bool Driver::is_known_by_product(int number) const {
    const auto& mine = commit(number);
    if (!mine.values.empty() || mine.product.empty()) return false;
    return std::any_of(commits_.begin(), commits_.end(), [&](const auto& other) {
        return !other.second.values.empty() && other.second.product == mine.product;
    });
}

std::vector<int> Driver::needless_probes() const {
    std::vector<int> needless;
    for (int number = 0; number < static_cast<int>(probes_.size()); ++number) {
        const auto& one = probe(number);
        if (one.over || !one.runs.empty()) continue;
        const auto& commits = one.request.commits;
        const bool asks = std::any_of(
            commits.begin(), commits.end(), [&](int c) { return commit(c).values.empty(); });
        const bool tells = std::any_of(commits.begin(), commits.end(), [&](int c) {
            return commit(c).values.empty() && !is_known_by_product(c);
        });
        if (asks && !tells) needless.push_back(number);
    }
    return needless;
}

const CommitState& Driver::commit(int number) const {
    static const CommitState none;
    const auto found = commits_.find(number);
    return found == commits_.end() ? none : found->second;
}

Facts Driver::facts() const {
    Facts facts;
    for (std::size_t k = 0; k < sessions_.size(); ++k) {
        observe(sessions_[k], -1 - static_cast<int>(k), facts.observations);
    }
    for (int number = 0; number < static_cast<int>(probes_.size()); ++number) {
        facts.asked.push_back(probe(number).request);
        facts.machines.push_back(probe(number).machine);
        if (probe(number).over) {
            observe(probe(number), number, facts.observations);
        } else {
            facts.open_probes.push_back(number);
        }
    }
    std::map<std::string, int> products;
    facts.product.assign(static_cast<std::size_t>(suspects_) + 1, -1);
    for (const auto& [number, mine] : commits_) {
        if (mine.built) facts.built.push_back(number);
        if (!mine.product.empty()) {
            const auto next_number = static_cast<int>(products.size());
            facts.product[static_cast<std::size_t>(number)] =
                products.emplace(mine.product, next_number).first->second;
        }
        const bool told = std::find(refused_.begin(), refused_.end(), number) == refused_.end();
        if (told) add_failures(number, mine, facts.failures);
    }
    return facts;
}

}  // namespace vigil::search
