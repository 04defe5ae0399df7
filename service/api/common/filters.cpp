#include "service/api/common/filters.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bisect/detect/series_record.hpp"
#include "schema/model/canary.hpp"
#include "schema/model/job.hpp"
#include "schema/model/metric.hpp"
#include "schema/model/regression_words.hpp"
#include "schema/model/states.hpp"
#include "schema/model/storm.hpp"
#include "schema/model/text_ids.hpp"
#include "schema/text/nearest.hpp"
#include "schema/text/times.hpp"
#include "service/api/common/event_kinds.hpp"
#include "service/api/common/listing.hpp"
#include "service/store/lists/names.hpp"
#include "service/store/work/triggers.hpp"

namespace vigil::service {

namespace {

constexpr int max_names = 500;
constexpr int max_shown = 5;
constexpr std::size_t min_hash_digits = 4;
constexpr std::size_t full_hash_digits = 40;
constexpr std::size_t longest_hash_digits = 64;

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
    throw Error(Errc::invalid_argument, fmt::format("query parameter {}: {}", name, why));
}

/// What a filter may name: a column of a table, and what the config has.
struct Names {
    std::string_view noun;
    NameColumn where;
    std::vector<std::string> configured;
};

template <class Setting>
std::vector<std::string> keys_of(const std::map<std::string, Setting>& map) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : map) keys.push_back(key);
    return keys;
}

std::vector<std::string> planned(const Config& config, std::string BenchmarkPlan::*part) {
    std::vector<std::string> names;
    for (const auto& [project, settings] : config.projects) {
        for (const auto& [suite, plans] : settings.suites) {
            for (const auto& plan : plans) names.push_back(plan.*part);
        }
    }
    return names;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// What a name of the filter may be, if it is one of those that name things.
std::optional<Names> find_names(const std::string& filter, const Config& config) {
    if (filter == "project") return {{"project", {"project", "name"}, keys_of(config.projects)}};
    if (filter == "worker") return {{"worker", {"worker", "name"}, keys_of(config.workers)}};
    if (filter == "who") return {{"token", {"token", "name"}, {"vigild"}}};
    if (filter == "version") return {{"nightly of version", {"nightly", "version"}, {}}};
    if (filter == "event.kind") return {{"kind of event", {"event", "kind"}, event_kinds()}};
    // A trouble begins with an event of its kind.
    if (filter == "trouble.kind") return {{"kind of trouble", {"trouble", "kind"}, event_kinds()}};
    if (filter == "benchmark") {
        const auto names = planned(config, &BenchmarkPlan::benchmark);
        return {{"benchmark", {"series", "benchmark"}, names}};
    }
    if (filter == "case") return {{"case", {"series", "case_name"}, {}}};
    if (filter == "variant") {
        return {{"variant", {"series", "variant"}, planned(config, &BenchmarkPlan::variant)}};
    }
    if (filter == "machine_class") {
        const auto names = keys_of(config.machine_classes);
        return {{"machine class", {"machine_class", "name"}, names}};
    }
    return std::nullopt;
}

void check_known(Database& db, const std::string& filter, const std::string& text, Names names) {
    if (contains(names.configured, text) || has_name(db, names.where, text)) return;
    const auto more = list_names(db, names.where, max_names);
    names.configured.insert(names.configured.end(), more.begin(), more.end());
    refuse(
        filter,
        fmt::format(
            "there is no {} \"{}\"{}",
            names.noun,
            text,
            text::did_you_mean(text, names.configured)));
}

template <NamedEnum Enum>
void check_enum(const std::string& text) {
    static_cast<void>(parse_enum<Enum>(text));
}

/// Filters that are one of a few words: of every list, or of one noun's.
const std::map<std::string, void (*)(const std::string&), std::less<>> enums{
    {"allocation.state", check_enum<AllocationState>},
    {"asked", check_enum<detect::Asked>},
    {"backfill.state", check_enum<BackfillState>},
    {"bisection.state", check_enum<BisectionState>},
    {"canary.state", check_enum<CanaryState>},
    {"dropped content.kind", check_enum<ContentKind>},
    {"job.state", check_enum<JobState>},
    {"metric", check_enum<Metric>},
    {"missed.state", check_enum<MissedState>},
    {"nightly.state", check_enum<NightlyState>},
    {"outcome", check_enum<Outcome>},
    {"purpose", check_enum<Purpose>},
    {"pull.state", check_enum<PullState>},
    {"request.kind", check_enum<RequestKind>},
    {"request.state", check_enum<RequestState>},
    {"storm.state", check_enum<StormState>},
    {"suspicion.state", check_enum<SuspicionState>},
    {"trigger.cause", check_enum<TriggerCause>},
    {"trigger.state", check_enum<TriggerState>},
    {"verdict", check_enum<Verdict>}};

const std::map<std::string, std::vector<std::string>, std::less<>> words{
    {"notice.state", {"pending", "sent", "dead"}},
    {"mute.state", {"active", "ended"}},
    {"delivery.state", {"received", "acted", "ignored"}},
    {"message.state", {"pending", "sent", "dead"}},
    {"report.kind", {"regression", "night", "trouble", "comment", "week"}},
    {"trouble.state", {"open", "ended"}},
    {"worker.state", {"active", "draining", "quarantined"}}};

/// "reported,range" or "open", as a JSON array of the states and ends that are asked for.
std::string states_of(const std::string& list) {
    auto states = nlohmann::json::array();
    for (std::size_t at = 0; at <= list.size();) {
        const auto end = std::min(list.find(',', at), list.size());
        for (const auto word : stored_words(list.substr(at, end - at))) states.push_back(word);
        at = end + 1;
    }
    return states.dump();
}

/// Up to max_shown of them.
std::string shown(std::vector<std::string> found) {
    const bool more = found.size() > max_shown;
    if (more) found.pop_back();
    return text::joined(found) + (more ? " and more" : "");
}

std::string checked_subject(const std::string& name, const std::string& text) {
    const auto slash = text.find('/');
    if (slash == text.npos || slash == 0 || slash + 1 == text.size()) {
        refuse(name, "it looks like regression/12");
    }
    return text;
}

template <class Held>
Value value_of(const std::optional<Held>& held) {
    return held ? Value(*held) : Value(std::nullopt);
}

}  // namespace

Value Filters::value(std::string_view noun, const std::string& name) const {
    if (name == "since_s") return value_of(since_s());
    if (name == "until_s") return value_of(until_s());
    const auto text = text_filter(request_, name);
    if (!text) return std::nullopt;
    const auto own = fmt::format("{}.{}", noun, name);
    if (own == "regression.state") return states_of(*text);
    for (const auto& key : {own, name}) {
        if (auto names = find_names(key, config_)) {
            check_known(db_, name, *text, *std::move(names));
            return *text;
        }
        if (const auto check = enums.find(key); check != enums.end()) {
            check->second(*text);
            return *text;
        }
    }
    if (const auto choices = words.find(own); choices != words.end()) {
        if (contains(choices->second, *text)) return *text;
        refuse(name, "the choices are " + text::joined(choices->second));
    }
    if (name == "subject" || name == "object") return checked_subject(name, *text);
    if (name == "revision" || name == "culprit") return full_hash(name, *text);
    if (name == "nightly") return nightly(*text);
    static constexpr std::array free{"action", "assigned", "author", "owner"};
    if (std::find(free.begin(), free.end(), name) != free.end()) return *text;
    if (name == "muted" || name == "given_up") {
        if (*text != "true" && *text != "false") refuse(name, "must be true or false");
        return std::int64_t{*text == "true"};
    }
    if (name == "target") return target(*text);
    if (name == "after" || name == "number") return value_of(number_filter(request_, name));
    if (name == "waiting") {
        const auto flag = number_filter(request_, name);
        if (flag && *flag > 1) refuse(name, "must be 0 or 1");
        return value_of(flag);
    }
    return id(name);
}

std::optional<std::string> Filters::project() const {
    if (std::holds_alternative<std::nullopt_t>(value("", "project"))) return std::nullopt;
    return text_filter(request_, "project");
}

// A full hash as it is, known or not; a short one as the commit that it begins.
std::string Filters::full_hash(const std::string& name, std::string hash) const {
    std::transform(hash.begin(), hash.end(), hash.begin(), [](char c) {
        return c >= 'A' && c <= 'F' ? char(c - 'A' + 'a') : c;
    });
    if (hash.size() < min_hash_digits || hash.size() > longest_hash_digits || !is_lower_hex(hash)) {
        refuse(
            name,
            fmt::format("a commit is {} to {} hex digits", min_hash_digits, longest_hash_digits));
    }
    if (hash.size() == full_hash_digits || hash.size() == longest_hash_digits) return hash;
    const auto list = name == "culprit" ? list_culprits : list_revisions;
    const auto found = list(db_, hash, max_shown + 1);
    if (found.size() == 1) return found.front();
    if (found.empty()) refuse(name, "no commit that is known here begins with " + hash);
    refuse(name, fmt::format("{} begins several commits: {}", hash, shown(found)));
}

std::int64_t Filters::id(const std::string& name) const {
    static constexpr std::array<std::string_view, 9> tables{
        "bisection",
        "build",
        "job",
        "nightly",
        "probe",
        "regression",
        "report",
        "series",
        "session"};
    const auto table = std::find(tables.begin(), tables.end(), name);
    if (table == tables.end()) refuse(name, "this filter is not known here");
    const auto value = number_filter(request_, name);
    if (!value) refuse(name, "must be an id");
    if (has_id(db_, *table, *value)) return *value;
    refuse(name, fmt::format("there is no {} {}", name, *value));
}

// The ledger may hold messages to targets that the config has no more.
std::string Filters::target(std::string name) const {
    check_known(
        db_,
        "target",
        name,
        {"report target", {"outbox", "target"}, keys_of(config_.report_targets)});
    return name;
}

// By its number or its name (2026-11-22, 2026-11-22.2; the first of a day also with .1). A day of
// several nightlies is refused, and so is a name that several projects have: the error names them.
std::int64_t Filters::nightly(const std::string& name) const {
    if (!name.empty() && name.find_first_not_of("0123456789") == name.npos) return id("nightly");
    const auto found = list_nightlies_named(db_, name, project(), max_shown + 1);
    if (found.size() == 1) return found.front().id.value;
    if (found.empty()) {
        refuse(
            "nightly",
            fmt::format("there is no nightly \"{}\"; /api/v1/nightlies lists their names", name));
    }
    std::vector<std::string> nightlies;
    for (const auto& one : found) nightlies.push_back(one.words);
    refuse("nightly", fmt::format("\"{}\" is several nightlies: {}", name, shown(nightlies)));
}

// As seconds (since_s) or as a person writes it (since).
std::optional<std::int64_t> Filters::bound(const std::string& name) const {
    const auto words = text_filter(request_, name);
    const auto seconds = number_filter(request_, name + "_s");
    if (!words) return seconds;
    if (seconds) refuse(name, fmt::format("give {} or {}_s, not both", name, name));
    const auto time = text::parse_time(*words);
    if (!time) refuse(name, "it must be a day like 2026-11-21 or a time like 2026-11-21T04:05Z");
    return time;
}

std::optional<std::int64_t> Filters::since_s() const {
    return bound("since");
}

std::optional<std::int64_t> Filters::until_s() const {
    const auto until = bound("until");
    const auto since = since_s();
    if (since && until && *until < *since) refuse("until_s", "it lies before since_s");
    return until;
}

}  // namespace vigil::service
