#pragma once

#include <string>

namespace vigil::cli {

/// The detector behind `vigil detect --stdio`: one series a line, one answer a line.
///
///   ->
///   {"id":"a","values":[100.2,null,...],"direction":"lower_is_better","start":30,"env":["m1",...]}
///   <- {"id":"a","changes":[62],"alarms":[{"night":63,"index":62,"earliest":62,"latest":62,...}]}
///
/// With `start`, the first night judged, the series is followed night by night: `alarms` are levels
/// that got worse, `changes` all first nights of new levels, `suspicions` (asked for by
/// "suspicions":true) the score of every night. Without it `changes` are the levels of the whole
/// series, seen from its end.
/// Where too few nights were measured for any change, `unknown` says so. `nights` (numbers or
/// dates) are not needed; given, they must be in order, each once.
/// @return  a line that cannot be read is answered by {"error":"...","id":...}
std::string answer_series(const std::string& line);

}  // namespace vigil::cli
