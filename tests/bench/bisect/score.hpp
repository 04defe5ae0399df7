#pragma once

#include <string>
#include <vector>

#include "tests/bench/bisect/rules.hpp"

namespace vigil::bench {

/// What an answer for one series is worth.
struct Mark {
    bool right = false;  ///< nothing innocent named, the largest regression named; or truly cleared
    bool named = false;  ///< right, and every change named
    bool wrong = false;  ///< something innocent named
    bool missed = false;  ///< cleared, though there is a change
    bool open = false;    ///< none of these: a set, or a stretch wider than broken builds force
    bool holds = false;   ///< open: the set holds the largest regression
    int set_size = 0;
};

Mark mark(const World& world, int series, const Answer& answer);

/// Means over days, with 95 % intervals. A day with several series counts once, by the shares of
/// its series.
class Tally {
  public:
    void add(const World& world, const std::vector<Answer>& answers, const Bill& bill);

    int days() const { return days_; }
    double right() const { return right_ / days_; }
    double wrong() const { return wrong_ / days_; }
    double missed() const { return missed_ / days_; }
    double named() const { return named_ / days_; }
    double runs() const { return runs_ / days_; }
    double builds() const { return builds_ / days_; }
    double cost() const { return cost_ / days_; }
    double cost_margin() const;
    double time() const { return time_ / days_; }
    int open() const { return static_cast<int>(sizes_.size()); }
    double holds() const { return sizes_.empty() ? 1 : held_ / static_cast<double>(open()); }
    double median_set() const;

  private:
    int days_ = 0;
    double right_ = 0, wrong_ = 0, missed_ = 0, named_ = 0, held_ = 0;
    double runs_ = 0, builds_ = 0, cost_ = 0, cost_squares_ = 0, time_ = 0;
    std::vector<double> sizes_;
};

/// "97.2 [96.6, 97.7]": a share of `days`, in percent, with Wilson's 95 % interval.
std::string with_interval(double share, int days);

}  // namespace vigil::bench
