#pragma once

#include <string>

namespace vigil::nights {

/// How long a culprit takes: nights of 70 commits, builds of 10 minutes and runs of 30 s, on 1, 4
/// and 16 workers that take their time, at 2 and 5 % noise. In every other night one series becomes
/// slower by 10 %. The hours count from the suspicion of the night that first flags the series to
/// the event that tells the culprit verified.
/// @param changes  for each row, 1 to 100
/// @return  a table in Markdown
std::string hours_table(const std::string& word, int changes);

}  // namespace vigil::nights
