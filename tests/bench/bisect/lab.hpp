#pragma once

#include <map>
#include <set>
#include <vector>

#include "tests/bench/bisect/world.hpp"

namespace vigil::bench {

/// Runs to make in this order on one worker; each position is one run for each series.
struct Order {
    std::vector<int> commits;
    std::vector<int> series;
    int not_on = -1;  ///< worker that must not make them; -1: all may
};

struct Outcome {
    enum class Kind { value, lost, build_failed };
    int order = 0;
    int worker = 0;
    int commit = 0;
    int series = 0;
    Kind kind = Kind::value;
    double value = 0;
    int group = -1;   ///< runs of the order with the same number were at once; -1: alone
    double busy = 0;  ///< the share of its time that it had a processor
};

struct Bill {
    int runs = 0;
    int builds = 0;  ///< that ended with a product
    double cost = 0;
    double time = 0;
};

/// Builds and measures a world's commits on its workers, and keeps the bill. Products are kept, the
/// ends are there from the start; a build that fails costs half.
class Lab {
  public:
    explicit Lab(const World& world);

    /// @return  its number, from 0; it begins as soon as a worker is free
    int submit(Order order);
    bool is_busy() const { return !waiting_.empty() || !running_.empty(); }
    /// Lets time pass until an order ends; there must be one.
    std::vector<Outcome> finish_next();

    /// For rules that do one thing after another: runs of one commit, until done.
    /// @return  their values, mirrored where needed so that larger is worse; none when the commit
    ///          does not build
    std::vector<double> measure(int commit, int series, int runs);

    bool has(int commit) const { return ready_.contains(commit); }
    const Bill& bill() const { return bill_; }

  private:
    struct Running {
        int number = 0;
        double ends_at = 0;
        std::vector<Outcome> outcomes;
    };
    void start_waiting();
    void execute(int number, const Order& order, std::size_t worker);
    bool build(int commit, double& now);
    void pay(double amount, double& now);

    const World& world_;
    std::map<int, double> ready_;  ///< product -> since when
    std::map<int, int> tries_;
    std::map<std::pair<int, int>, int> runs_;  ///< series, commit
    std::vector<double> free_at_;
    std::vector<int> product_on_;
    std::map<int, Order> waiting_;
    std::vector<Running> running_;
    int orders_ = 0;
    double now_ = 0;
    Bill bill_;
};

}  // namespace vigil::bench
