#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace vigil::worker {

/// @return  the whole file; "" when it cannot be read
std::string read_text(const std::filesystem::path& file);

/// The first line, fit for a person; "" when it cannot be read.
std::string first_line(const std::filesystem::path& file, std::size_t most_bytes = 200);

/// The values of "name : value" lines of a file of /proc, by name; the first of each.
std::map<std::string, std::string> fields_of(const std::filesystem::path& file);

/// The value of this name; "" where there is none.
std::string value_of(const std::map<std::string, std::string>& values, const std::string& name);

}  // namespace vigil::worker
