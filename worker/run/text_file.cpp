#include "worker/run/text_file.hpp"

#include <fstream>
#include <iterator>

#include "schema/text/lines.hpp"

namespace vigil::worker {

std::string read_text(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::string first_line(const std::filesystem::path& file, std::size_t most_bytes) {
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);
    return text::one_line(line, most_bytes);
}

std::map<std::string, std::string> fields_of(const std::filesystem::path& file) {
    std::map<std::string, std::string> fields;
    std::ifstream in(file);
    std::string line;
    while (std::getline(in, line)) {
        const auto colon = line.find(':');
        if (colon == line.npos) continue;
        fields.try_emplace(
            text::one_line(line.substr(0, colon)), text::one_line(line.substr(colon + 1), 8000));
    }
    return fields;
}

std::string value_of(const std::map<std::string, std::string>& values, const std::string& name) {
    const auto found = values.find(name);
    return found == values.end() ? "" : found->second;
}

}  // namespace vigil::worker
