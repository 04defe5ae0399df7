#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "service/cli/history/history.hpp"

// Histories out of the files that benchmark programs write, one file a night.

namespace vigil::cli {

/// A file by the name it was given with.
struct NamedText {
    std::string name;
    std::string text;
};

inline constexpr std::size_t max_benchmark_bytes = std::size_t{32} << 20;

/// Whether the text is one JSON document of Google Benchmark ("benchmarks") or hyperfine
/// ("results"), and no row or series of a history.
bool is_benchmark_file(std::string_view text);

/// One series for each benchmark, one night for each file; repetitions are the samples of a night.
/// Nights are in the order of the dates that the files say, or where one says none in the order of
/// the files. Google Benchmark's real time counts, in the unit of its first night; its aggregates
/// only where a file has nothing else. What failed was not measured, and that is noted.
/// @param files  one or more, all of one kind
/// @throws Error{invalid_argument} naming the file and the member that cannot be used
HistoryFile read_benchmark_files(const std::vector<NamedText>& files);

}  // namespace vigil::cli
