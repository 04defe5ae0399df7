#include "tests/bench/bisect/lab.hpp"

#include <algorithm>
#include <cmath>

#include "bisect/stats/together.hpp"

namespace vigil::bench {

Lab::Lab(const World& world)
    : world_(world),
      free_at_(static_cast<std::size_t>(world.workers + world.repeaters), 0.0),
      product_on_(free_at_.size(), 0) {
    for (const int commit : world.built) ready_[commit] = 0;
    ready_[0] = 0;
    ready_[world.suspects] = 0;
}

int Lab::submit(Order order) {
    waiting_.emplace(orders_, std::move(order));
    start_waiting();
    return orders_++;
}

void Lab::start_waiting() {
    for (std::size_t worker = 0; worker < free_at_.size() && !waiting_.empty(); ++worker) {
        if (free_at_[worker] > now_) continue;
        const bool repeats = worker >= static_cast<std::size_t>(world_.workers);
        const auto first = std::find_if(waiting_.begin(), waiting_.end(), [&](const auto& one) {
            const int not_on = one.second.not_on;
            return not_on < 0 ? !repeats : not_on != static_cast<int>(worker);
        });
        if (first == waiting_.end()) continue;
        const Order order = std::move(first->second);
        const int number = first->first;
        waiting_.erase(first);
        execute(number, order, worker);
    }
}

void Lab::pay(double amount, double& now) {
    bill_.cost += amount;
    now += amount;
}

bool Lab::build(int commit, double& now) {
    const auto found = ready_.find(commit);
    if (found != ready_.end()) {
        now = std::max(now, found->second);  // another worker may still be building it
        return true;
    }
    const int nth = tries_[commit]++;
    if (world_.broken.contains(commit) || world_.flakes(commit, nth)) {
        pay(0.5 * world_.build_cost, now);
        return false;
    }
    pay(world_.build_cost, now);
    ++bill_.builds;
    ready_[commit] = now;
    return true;
}

void Lab::execute(int number, const Order& order, std::size_t worker) {
    Running running{number, now_, {}};
    const auto by = static_cast<int>(worker);
    std::set<int> failed;
    const auto groups = stats::run_groups(order.commits, world_.at_once);
    auto group = groups.begin();
    for (int position = 0; position < static_cast<int>(order.commits.size()); ++position) {
        if (position > group->back()) ++group;
        const int commit = order.commits[static_cast<std::size_t>(position)];
        if (failed.contains(commit)) continue;
        if (!build(commit, running.ends_at)) {
            failed.insert(commit);
            running.outcomes.push_back({number, by, commit, -1, Outcome::Kind::build_failed, 0});
            continue;
        }
        if (product_on_[worker] != commit) {
            pay(world_.change_cost, running.ends_at);
            product_on_[worker] = commit;
        }
        for (const int series : order.series) {
            const int nth = runs_[{series, commit}]++;
            pay(1, running.ends_at);
            ++bill_.runs;
            Outcome outcome{number, by, commit, series, Outcome::Kind::lost, 0};
            if (!world_.loses(series, commit, nth)) {
                outcome.kind = Outcome::Kind::value;
                outcome.value = world_.value(series, commit, nth, running.ends_at, by) *
                                std::exp(world_.moment(number, group->front()));
                outcome.busy = world_.busy(series, commit, nth, running.ends_at);
                outcome.value /= outcome.busy;
                if (group->size() > 1) outcome.group = group->front();
            }
            running.outcomes.push_back(outcome);
        }
    }
    free_at_[worker] = running.ends_at;
    running_.push_back(std::move(running));
}

std::vector<Outcome> Lab::finish_next() {
    const auto first =
        std::min_element(running_.begin(), running_.end(), [](const auto& a, const auto& b) {
            return a.ends_at < b.ends_at || (a.ends_at == b.ends_at && a.number < b.number);
        });
    const auto outcomes = std::move(first->outcomes);
    now_ = std::max(now_, first->ends_at);
    bill_.time = now_;
    running_.erase(first);
    start_waiting();
    return outcomes;
}

std::vector<double> Lab::measure(int commit, int series, int runs) {
    submit({std::vector<int>(static_cast<std::size_t>(runs), commit), {series}});
    std::vector<double> values;
    for (const Outcome& outcome : finish_next()) {
        if (outcome.kind != Outcome::Kind::value) continue;
        const bool lower = world_.truth(series).direction == Direction::lower_is_better;
        values.push_back(lower ? outcome.value : 1 / outcome.value);
    }
    return values;
}

}  // namespace vigil::bench
