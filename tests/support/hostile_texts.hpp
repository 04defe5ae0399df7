#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

// Files and tables that are small and ask for much: what tests, fuzz targets and benches of
// schema/harness read. Each is of about so many bytes.

namespace vigil::test {

struct HostileText {
    std::string name;
    std::function<std::string(std::size_t bytes)> make;
};

std::vector<HostileText> hostile_files();
std::vector<HostileText> hostile_tables();

/// Two combinations of parameters whose names are as long as the file.
std::string asv_of_wide_names(std::size_t bytes);
/// Each row says in a few bytes that thousands of combinations failed.
std::string asv_of_nothing_that_ran(std::size_t bytes);
/// Each row is a night of its own.
std::string csv_of_nights(std::size_t bytes);
std::string catch2_of_depth(std::size_t bytes);
/// Half of the file is one key, the other half are its members.
std::string bmf_of_long_key(std::size_t bytes);

}  // namespace vigil::test
