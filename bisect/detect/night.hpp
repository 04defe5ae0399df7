#pragma once

#include <optional>
#include <span>
#include <string>

#include "schema/model/comparison.hpp"
#include "schema/model/metric.hpp"

namespace vigil::detect {

/// What a series looked like before tonight, and tonight. Values are medians of processes,
/// metric's unit, each > 0.
struct NightInput {
    std::span<const double>
        history;  ///< [n] one value per earlier night of this level, oldest first
    std::span<const double> tonight;  ///< [r] one value per process, r >= 1
    Direction direction = Direction::lower_is_better;
    double threshold = 0.07;  ///< change ratio above which worse counts
    /// What earlier sessions explain of tonight, log, when tonight and last night are also judged
    /// together. Nothing: last night was asked, each night speaks for itself.
    std::optional<double> explained = std::nullopt;
};

/// `worse` opens a suspicion and proves nothing; `better` likewise opens one for an improvement;
/// `unknown` means there is nothing to compare with.
struct NightJudgement {
    Finding finding = Finding::unknown;
    double base = 0;          ///< the baseline that spoke, metric's unit
    double value = 0;         ///< tonight's value: median over processes
    double change_ratio = 0;  ///< value against base
    bool by_two = false;      ///< worse only together with last night
    std::string reason;       ///< the rule that spoke, with its figures, for a person
};

/// Compares tonight, and tonight with last night, with the rolling baseline. What creeps in under
/// it is find_creep's.
NightJudgement judge_night(const NightInput& input);

}  // namespace vigil::detect
