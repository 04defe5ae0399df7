#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "bisect/detect/bar.hpp"
#include "bisect/trend/level_watch.hpp"

namespace vigil::bench {

/// The suspicions of one series.
class Suspector {
  public:
    Suspector(Direction direction, const detect::BarRules& rules)
        : rules_(rules), direction_(direction), shape_(direction) {}

    void start_level() {
        shape_.start_level();
        nights_.clear();
        last_.reset();
    }

    bool suspects(double value) {
        const double score = shape_.append(value).suspicion;
        is_measured_ = std::isfinite(value);
        if (!is_measured_) return false;
        detect::SeriesNight night;
        night.id = ++newest_;
        night.level = detect::badness(value, direction_);
        nights_.push_back(night);
        if (nights_.size() > kept) nights_.erase(nights_.begin());
        const bool by_shape = rules_.opened_by == detect::OpenedBy::shape;
        if (nights_.size() < least) return by_shape && score >= rules_.shape_bar;
        const auto bar_check = detect::check_bar(nights_, {}, last_, rules_, score);
        moved_ = bar_check.moved;
        spread_ = bar_check.noise.night;
        return by_shape ? score >= rules_.shape_bar : bar_check.suspicious;
    }

    /// The old build showed tonight's level as well.
    void refute() {
        shape_.refute_last_night();
        last_ = detect::LastSession{.night = newest_, .moved = moved_};
    }

    double moved() const { return moved_; }    ///< tonight over the baseline, log
    double spread() const { return spread_; }  ///< of a night

  private:
    static constexpr std::size_t kept = 64, least = 9;

    detect::BarRules rules_;
    Direction direction_;
    trend::LevelWatch shape_;
    std::vector<detect::SeriesNight> nights_;
    std::optional<detect::LastSession> last_;
    std::int64_t newest_ = 0;
    double moved_ = 0;
    double spread_ = 0;
    bool is_measured_ = false;
};

}  // namespace vigil::bench
