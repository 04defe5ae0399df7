#include "service/tables/variant.hpp"

#include <set>
#include <string_view>

#include "service/tables/cell.hpp"

namespace vigil::tables {

namespace {

/// "b16" with the mark "b": 16. One alone would be a word.
std::optional<std::int64_t> marked_count(
    std::string_view word, std::initializer_list<std::string_view> marks) {
    for (const auto mark : marks) {
        if (!word.starts_with(mark) || word.size() == mark.size()) continue;
        if (const auto count = parse_count(word.substr(mark.size())); count && *count > 0) {
            return count;
        }
    }
    return std::nullopt;
}

void take_word(const std::string& word, Result& result) {
    static const std::set<std::string> precisions{"fp32", "tf32", "bf16", "fp16", "amp"};
    const std::string mode = mode_word(word);
    if (mode == "train" || mode == "infer") {
        result.mode = mode;
    } else if (word == "cpu" || word == "cuda") {
        result.device = word;
    } else if (precisions.contains(word)) {
        result.precision = word;
    } else if (const auto batch = marked_count(word, {"batch", "bs", "b"})) {
        result.batch = *batch;
    } else if (const auto threads = marked_count(word, {"threads", "t"})) {
        result.threads = *threads;
    } else if (const auto gpus = marked_count(word, {"gpus", "g"})) {
        result.gpus = *gpus;
    } else {
        result.backend += (result.backend.empty() ? "" : "-") + word;
    }
}

}  // namespace

void take_variant(const std::string& name, Result& result) {
    std::string word;
    for (const char c : name + "-") {
        if (std::string_view("-_+.").find(c) == std::string_view::npos) {
            word += c;
            continue;
        }
        if (!word.empty()) take_word(word, result);
        word.clear();
    }
    if (result.backend.empty() || result.backend == "default") result.backend = "eager";
}

}  // namespace vigil::tables
