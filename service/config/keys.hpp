#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/wire/object_reader.hpp"
#include "service/config/config.hpp"

// The one table of the config's keys. `describe` walks a config and shows every key, with its range
// and the member it stands for, to a visitor: one reads a file into the members, one writes them
// out, one lists the keys for the documentation. Defaults are the members' initial values.

namespace vigil::service {

enum class Presence { required, optional };
enum class Shell { allowed, refused };

/// What a text may be, in words, and a check: its result is empty or says what is wrong with it.
struct TextRule {
    std::string_view range = "any text";
    std::string (*problem)(std::string_view) = nullptr;
    Presence presence = Presence::optional;
    bool or_one = false;  ///< of a list: one text stands for a list of it
};

/// The keys of a map.
std::vector<std::string> names_of(const auto& map) {
    std::vector<std::string> names;
    for (const auto& [name, value] : map) names.push_back(name);
    return names;
}

class KeyVisitor {
  public:
    virtual ~KeyVisitor() = default;

    /// Show keys that only some kinds have, whatever the kind at hand.
    virtual bool every() const { return false; }
    /// Stops a reader, with the place of `key` in the file, unless `fine`.
    virtual void check(bool fine, std::string_view key, const std::string& why) = 0;
    /// Stops a reader where the key is there, which means nothing here.
    virtual void no_key(std::string_view, const std::string& /*why*/) {}

    virtual void text(std::string_view key, std::string& value, const TextRule& rule) = 0;
    virtual void integer(std::string_view key, std::int64_t& value, wire::IntegerRange range) = 0;
    virtual void number(std::string_view key, double& value, wire::NumberRange range) = 0;
    virtual void flag(std::string_view key, bool& value) = 0;
    virtual void word(
        std::string_view key,
        std::string& value,
        const std::vector<std::string>& choices,
        Presence presence) = 0;
    virtual void words(
        std::string_view key,
        std::vector<std::string>& values,
        const std::vector<std::string>& choices) = 0;
    virtual void texts(
        std::string_view key, std::vector<std::string>& values, const TextRule& rule) = 0;
    virtual void text_map(std::string_view key, std::map<std::string, std::string>& values) = 0;
    /// An argument vector, or one string for /bin/sh.
    virtual void command(std::string_view key, Command& value, Shell shell) = 0;

    /// An object of known keys. @return  whether to show its keys; then `leave` follows
    virtual bool enter(std::string_view key, Presence presence, bool present) = 0;
    /// An object whose keys are names that the operator chooses.
    /// @return  the names; `enter_entry` and `leave` follow for each, then `leave`
    virtual std::vector<std::string> enter_table(
        std::string_view key, std::string_view placeholder, std::vector<std::string> names) = 0;
    virtual void enter_entry(const std::string& name) = 0;
    /// As a table, but an array; an entry's name is "[0]", "[1]", ...
    virtual std::size_t enter_list(std::string_view key, std::size_t size) = 0;
    virtual void leave() = 0;
    /// Whether the value of a key is this word, where an object may stand.
    virtual bool is_word(std::string_view /*key*/, std::string_view /*word*/) { return false; }
    /// Whether to show a key that has no default. @param present  whether the config has it
    virtual bool has(std::string_view key, bool present) = 0;

    /// A value without a default.
    template <class Value, class Show>
    void maybe(std::string_view key, std::optional<Value>& value, Show show) {
        if (!has(key, value.has_value())) return;
        Value shown = value.value_or(Value{});
        show(shown);
        value = shown;
    }

    void small(std::string_view key, int& value, wire::IntegerRange range) {
        std::int64_t wide = value;
        integer(key, wide, range);
        value = static_cast<int>(wide);
    }

    template <NamedEnum Enum>
    void choice(std::string_view key, Enum& value, Presence presence = Presence::optional) {
        std::string name(to_string(value));
        word(key, name, choices_of<Enum>(), presence);
        value = parse_enum<Enum>(name);
    }

    template <NamedEnum Enum>
    void choices(std::string_view key, std::vector<Enum>& values) {
        std::vector<std::string> names;
        for (const auto value : values) names.emplace_back(to_string(value));
        words(key, names, choices_of<Enum>());
        values.clear();
        for (const auto& name : names) values.push_back(parse_enum<Enum>(name));
    }

    template <class Value, class Describe>
    void object(
        std::string_view key,
        Value& value,
        Describe describe_it,
        Presence presence = Presence::optional) {
        if (!enter(key, presence, true)) return;
        describe_it(*this, value);
        leave();
    }
    template <class Value, class Describe>
    void object(std::string_view key, std::optional<Value>& value, Describe describe_it) {
        if (!enter(key, Presence::optional, value.has_value())) return;
        if (!value) value.emplace();
        describe_it(*this, *value);
        leave();
    }

    template <class Value, class Describe>
    void table(
        std::string_view key,
        std::string_view placeholder,
        std::map<std::string, Value>& values,
        Describe describe_entry) {
        for (const auto& name : enter_table(key, placeholder, names_of(values))) {
            enter_entry(name);
            describe_entry(*this, values[name]);
            leave();
        }
        leave();
    }

  private:
    template <NamedEnum Enum>
    static std::vector<std::string> choices_of() {
        std::vector<std::string> names;
        for (const auto& [value, name] : enum_names<Enum>) names.emplace_back(name);
        return names;
    }
};

/// Shows every key of a config. A reader's visit changes the members.
void describe(KeyVisitor& visitor, Config& config);

/// Shows the suites of a project (the key "suites"), which the file holds folded: a benchmark once,
/// with its variants. Reading unfolds them into one plan per variant, and for each local version
/// of the project's source where it has several.
void describe_suites(
    KeyVisitor& visitor,
    std::map<std::string, std::vector<BenchmarkPlan>>& suites,
    const SourceConfig& source);
void describe_limits(KeyVisitor& visitor, Limits& limits);
void describe_launch(KeyVisitor& visitor, Launch& launch);

/// Both are the keys "cron" and "time_zone" of what is described.
void check_cron(KeyVisitor& visitor, const std::string& cron, const std::string& time_zone);

/// Shows the rules of a project's series (the key "series_rules").
void describe_series_rules(KeyVisitor& visitor, std::vector<SeriesRule>& rules);

/// Shows the keys of what is kept, and how long.
void describe_ledger(KeyVisitor& visitor, LedgerConfig& ledger);

/// Shows the keys of the store that workers get content from.
void describe_object_store(KeyVisitor& visitor, ObjectStoreConfig& store);

/// Shows one report target.
void describe_target(KeyVisitor& visitor, ReportTarget& target);

/// The machines that Slurm is asked for.
void describe_fleet(KeyVisitor& visitor, FleetConfig& fleet);

/// One key for the documentation.
struct KeyInfo {
    std::string path;           ///< "http.port", "projects.<project>.matrix[].suite"
    std::string range;          ///< in words
    std::string default_value;  ///< JSON, or "required"
};

/// All keys, in the order of the table.
std::vector<KeyInfo> list_keys();

}  // namespace vigil::service

namespace vigil {

template <>
inline constexpr auto enum_names<service::SourceKind> =
    std::to_array<std::pair<service::SourceKind, std::string_view>>(
        {{service::SourceKind::directory, "directory"},
         {service::SourceKind::git, "git"},
         {service::SourceKind::npm, "npm"},
         {service::SourceKind::http_index, "http-index"},
         {service::SourceKind::elsewhere, "elsewhere"}});

template <>
inline constexpr auto enum_names<service::CallbackKind> =
    std::to_array<std::pair<service::CallbackKind, std::string_view>>(
        {{service::CallbackKind::webhook, "webhook"}, {service::CallbackKind::github, "github"}});

}  // namespace vigil
