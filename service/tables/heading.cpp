#include "service/tables/heading.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "service/tables/cell.hpp"
#include "service/tables/result.hpp"

namespace vigil::tables {

namespace {

/// Single words, since "T4" is a GPU and "T5" is a model.
bool is_device_word(const std::string& word) {
    static const std::set<std::string> all{
        "cpu",   "gpu",    "cuda",  "xpu",    "mps",    "xeon",   "epyc", "graviton", "a10",
        "a10g",  "a30",    "a40",   "a100",   "a6000",  "h20",    "h100", "h200",     "h800",
        "b100",  "b200",   "l4",    "l40",    "l40s",   "v100",   "t4",   "p4",       "p40",
        "p100",  "k80",    "m40",   "m60",    "gh200",  "gb200",  "mi50", "mi100",    "mi210",
        "mi250", "mi250x", "mi300", "mi300x", "mi325x", "mi355x", "rtx"};
    return all.contains(word);
}

/// What may stand beside a device's name: its maker, its memory, a number.
bool is_beside_device(const std::string& word) {
    static const std::set<std::string> all{
        "nvidia", "amd", "intel", "tesla", "geforce", "instinct", "ti", "gb", "sxm", "pcie"};
    if (all.contains(word)) return true;
    const auto digits = std::min(word.find_first_not_of("0123456789"), word.size());
    return digits > 0 && (digits == word.size() || word.substr(digits) == "gb");
}

}  // namespace

std::optional<PlaceHeading> parse_place(std::string_view text) {
    auto words = words_of(text);
    PlaceHeading place;
    const auto alone = std::find(words.begin(), words.end(), "unbatched");
    if (alone == words.end()) {
        place.batch = take_batch(words).value_or(0);
    } else {
        place.batch = unbatched;
        words.erase(alone);
    }
    if (words.empty()) return place.batch == 0 ? std::nullopt : std::optional(place);
    const bool any = std::any_of(words.begin(), words.end(), is_device_word);
    const bool only = std::all_of(words.begin(), words.end(), [](const std::string& word) {
        return is_device_word(word) || is_beside_device(word);
    });
    if (!any || !only) return std::nullopt;
    // As it stands there, up to what is said of the batch.
    const auto end = text.find_first_of("(,:");
    place.device = text.substr(0, end);
    const auto last = place.device.find_last_not_of(" \t");
    place.device.resize(last == std::string::npos ? 0 : last + 1);
    return place;
}

}  // namespace vigil::tables
