#pragma once

#include <string>

#include "tests/bench/nights/score.hpp"

namespace vigil::nights {

/// The tables of a score, in Markdown, with what is told below them.
std::string tables(const Score& score);

/// Every planted change that was missed or named wrong, and every false issue, a line each.
std::string list(const std::string& word, const Score& score);

/// Processor seconds a night, and how they grow. They differ from run to run.
std::string speed(const World& world, const Record& record);

}  // namespace vigil::nights
