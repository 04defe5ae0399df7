#include "service/schedule/class_fingerprint.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "service/store/events.hpp"
#include "service/store/ids.hpp"
#include "service/store/machines/class_fingerprints.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t max_words_bytes = 400;
constexpr int memory_tolerance = 10;  // a tenth: what a kernel keeps for itself differs

std::vector<std::string> sorted(std::vector<std::string> words) {
    std::sort(words.begin(), words.end());
    return words;
}

std::string listed(const std::vector<std::string>& words) {
    if (words.empty()) return "no GPU";
    std::string all;
    for (const auto& one : words) all += (all.empty() ? "GPU " : " and ") + one;
    return all;
}

bool are_alike(const Fingerprint& one, const Fingerprint& other) {
    return list_differences(one, other).empty();
}

auto count_alike(const Fingerprint& shown, const std::vector<Fingerprint>& all) {
    return std::count_if(
        all.begin(), all.end(), [&](const auto& one) { return are_alike(one, shown); });
}

std::string words_of(const Fingerprint& usual, const Fingerprint& shown) {
    std::string words;
    for (const auto& one : list_differences(usual, shown)) {
        words += (words.empty() ? "" : ", ") + one;
    }
    return text::one_line(words, max_words_bytes);
}

// Who was held and is like the class now may measure.
void move_class(
    Database& db,
    MachineClassId id,
    const std::string& machine_class,
    const Fingerprint& usual,
    const Fingerprint& shown,
    std::int64_t now_s) {
    set_class_fingerprint(db, id, shown, now_s);
    const auto words =
        fmt::format("most machines of class {} have {} now", machine_class, words_of(usual, shown));
    record_event(db, now_s, "class.changed", std::nullopt, "class/" + machine_class, words);
    for (const auto& one : list_differing(db, id)) {
        if (one.fingerprint && are_alike(shown, *one.fingerprint)) {
            release_differing(db, one, now_s);
        }
    }
}

}  // namespace

std::vector<std::string> list_differences(const Fingerprint& usual, const Fingerprint& shown) {
    std::vector<std::string> differences;
    if (shown.cpu_model != usual.cpu_model) {
        differences.push_back(
            fmt::format("CPU '{}' instead of '{}'", shown.cpu_model, usual.cpu_model));
    }
    if (shown.cpus != usual.cpus) {
        differences.push_back(fmt::format("{} instead of {} CPUs", shown.cpus, usual.cpus));
    }
    const auto more = std::max(shown.memory_bytes, usual.memory_bytes);
    if (std::abs(shown.memory_bytes - usual.memory_bytes) > more / memory_tolerance) {
        constexpr double gib = 1 << 30;
        differences.push_back(fmt::format(
            "{:.1f} instead of {:.1f} GiB of memory",
            static_cast<double>(shown.memory_bytes) / gib,
            static_cast<double>(usual.memory_bytes) / gib));
    }
    const auto gpus = sorted(shown.gpus);
    const auto usual_gpus = sorted(usual.gpus);
    if (gpus != usual_gpus) {
        differences.push_back(fmt::format("{} instead of {}", listed(gpus), listed(usual_gpus)));
    }
    if (shown.toolchain != usual.toolchain) {
        differences.emplace_back("another compiler or other libraries");
    }
    return differences;
}

const Fingerprint& most_usual(const std::vector<Fingerprint>& all) {
    VIGIL_ASSERT(!all.empty());
    return *std::max_element(all.begin(), all.end(), [&](const auto& a, const auto& b) {
        return count_alike(a, all) < count_alike(b, all);
    });
}

bool is_majority(const Fingerprint& shown, const std::vector<Fingerprint>& all) {
    return 2 * count_alike(shown, all) > std::ssize(all);
}

void compare_with_class(
    Database& db,
    const Config& config,
    WorkerId worker,
    const std::string& machine_class,
    const Fingerprint& shown,
    std::int64_t now_s) {
    if (!config.fleet || !config.fleet->machine_classes.contains(machine_class)) return;
    const auto id = ensure_machine_class(db, machine_class);
    auto usual = find_class_fingerprint(db, id);
    if (!usual) {
        auto all = list_shown_fingerprints(db, id, now_s - counts_for_s);
        usual = all.empty() ? shown : most_usual(all);
        set_class_fingerprint(db, id, *usual, now_s);
    }
    const auto known = find_differing(db, worker);
    if (are_alike(*usual, shown)) {
        if (known) release_differing(db, *known, now_s);
        return;
    }
    // Held already, or released by a person as it is.
    if (known && known->fingerprint && are_alike(*known->fingerprint, shown)) return;
    if (is_majority(shown, list_shown_fingerprints(db, id, now_s - counts_for_s))) {
        if (known) release_differing(db, *known, now_s);
        return move_class(db, id, machine_class, *usual, shown, now_s);
    }
    const auto words = fmt::format(
        "its machine differs from class {}: {}; make it equal to the others of the class (released "
        "as it is, it measures as one of them)",
        machine_class,
        words_of(*usual, shown));
    hold_differing(db, worker, shown, words, now_s);
}

}  // namespace vigil::service
