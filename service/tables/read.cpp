#include "service/tables/read.hpp"

#include <algorithm>
#include <array>

#include "schema/model/error.hpp"
#include "schema/wire/json.hpp"
#include "service/tables/read_json.hpp"

namespace vigil::tables {

namespace {

enum class FileKind { json, markdown, csv };

FileKind kind_of_text(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first != text.npos && (text[first] == '{' || text[first] == '[')) return FileKind::json;
    for (std::size_t at = 0; at < text.size();) {
        const auto line = text.substr(at, text.find('\n', at) - at);
        const auto begin = line.find_first_not_of(" \t");
        if (begin != line.npos && line[begin] == '|') return FileKind::markdown;
        at += line.size() + 1;
    }
    return FileKind::csv;
}

/// The runner's files are called inductor_torchbench_float32_inference_cpu_accuracy.csv.
std::string suite_in_name(const std::string& file) {
    const auto slash = file.rfind('/');
    const std::string name = slash == file.npos ? file : file.substr(slash + 1);
    constexpr std::array<const char*, 3> known{"torchbench", "huggingface", "timm_models"};
    for (const char* suite : known) {
        if (name.find(suite) != name.npos) return suite;
    }
    return "";
}

}  // namespace

void read_results(
    std::string_view text, const std::string& file, ResultList& list, const ColumnNames& names) {
    if (text.size() > max_file_bytes) {
        throw Error(Errc::invalid_argument, "reading " + file + ": larger than 64 MiB");
    }
    const std::size_t before = list.results().size();
    wire::check_utf8(text, file);
    switch (kind_of_text(text)) {
        case FileKind::json: read_json_results(text, file, list); break;
        case FileKind::csv:
            take_grid(read_csv_grid(text, file), file, suite_in_name(file), names, list);
            break;
        case FileKind::markdown:
            for (const auto& grid : read_markdown_grids(text, file)) {
                take_grid(grid, file, suite_in_name(file), names, list);
            }
            break;
    }
    if (list.results().size() > before) return;
    list.note(file + ": nothing new in it");
}

}  // namespace vigil::tables
