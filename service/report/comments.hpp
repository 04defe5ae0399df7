#pragma once

#include <cstdint>

#include "service/config/config.hpp"
#include "service/report/facts/news.hpp"
#include "service/report/facts/regression_facts.hpp"

namespace vigil::service {

/// Puts a comment on its way to where the regression's report was filed as an issue. What was not
/// tried yet of an earlier comment is said with it, in one. Nothing for news that needs no comment,
/// or that was decided in the thread, where it is answered. In the caller's transaction.
void comment_on(
    Database& db,
    const Config& config,
    const RegressionFacts& facts,
    News news,
    std::int64_t now_s);

}  // namespace vigil::service
