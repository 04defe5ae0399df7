#pragma once

#include <optional>
#include <string>
#include <vector>

#include "schema/harness/report.hpp"
#include "service/cli/history/history.hpp"

// Histories out of the files that benchmark programs write (schema/harness), one file a night.

namespace vigil::cli {

/// A file by the name it was given with.
struct NamedText {
    std::string name;
    std::string text;
};

/// Runs that ended with an error, and were measured all the same (harness::take_failed).
enum class OfFailed { left_out, taken };

/// One series for each quantity of a benchmark, one night for each report; repetitions are the
/// samples of a night. Reports of one time with other series are one night. Nights are in the order
/// of the times that the files say, or where one says none in the order of the files. Values are in
/// the unit of a series' first night. What failed was not measured, and that is noted. So are rows,
/// and files of several, that cannot be used.
/// @param files   one or more, all of one harness
/// @param format  who wrote them; else it is seen from each
/// @throws Error{invalid_argument} naming the file and the place where no file can be used
HistoryFile read_benchmark_files(
    const std::vector<NamedText>& files,
    OfFailed of_failed = OfFailed::left_out,
    const std::optional<harness::Harness>& format = std::nullopt);

}  // namespace vigil::cli
