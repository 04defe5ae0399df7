#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "service/report/facts/night_facts.hpp"
#include "service/report/render/render_regression.hpp"
#include "service/store/findings/reported.hpp"

namespace vigil::service {

/// What the summary of a week says.
struct WeekFacts {
    Links links;
    std::string marker;
    std::string project;
    std::int64_t since_s = 0;  ///< UTC
    std::int64_t until_s = 0;
    std::int64_t answer_due_s = 0;             ///< after which an answer is late; 0: none is
    std::vector<WeeksRegression> regressions;  ///< oldest first
    PrecisionFacts precision;                  ///< how well the service itself did
};

/// A pure function.
Document render_week(const WeekFacts& facts);

}  // namespace vigil::service
