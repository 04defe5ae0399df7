#pragma once

#include "bisect/detect/rules.hpp"

namespace vigil::detect {

/// The two newest nights of a series, where nobody asked about the older one. Logs, up = worse.
struct TwoNights {
    double tonight = 0;  ///< over the baseline, without what earlier sessions explain
    double before = 0;   ///< last night over the baseline
    double bar = 0;      ///< how much is asked of a single night, > 0
    double memory = 0;   ///< share of a night's deviation that is left the night after, in [0, 0.9]
};

/// Whether both together open a session though neither does: where the bar is high, a step hides
/// below it for nights, and two nights scatter less than one.
/// @source  docs/detection.md, "Two nights together"
bool two_nights_exceed(const TwoNights& nights, double factor = rule.two_nights);

}  // namespace vigil::detect
