#include "service/config/reader.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "schema/text/nearest.hpp"
#include "service/config/text_rules.hpp"

namespace vigil::service {

using nlohmann::json;

namespace {

constexpr std::size_t max_config_bytes = std::size_t{8} << 20;
constexpr std::size_t max_value_bytes = 64 * 1024;
constexpr std::size_t max_entries = 10'000;
constexpr std::size_t most_errors = 1000;  // nobody reads more at once
const json no_object = json::object();

std::string shown(const json& value) {
    if (value.is_object()) return "an object";
    if (value.is_array()) return "a list";
    const auto text = wire::write_json(value);
    return text.size() > 60 ? text.substr(0, 60) + "..." : text;
}

std::string must_be(std::string_view wanted, const json& value) {
    return fmt::format("must be {}, not {}", wanted, shown(value));
}

std::string pointer(const std::vector<std::string>& steps, std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
        const auto& step = steps[i];
        const bool element = step.starts_with('[');
        text += "/" + (element ? step.substr(1, step.size() - 2) : wire::pointer_step(step));
    }
    return text;
}

/// "projects.tensorlab.matrix[0].suite"
std::string key_path(const std::vector<std::string>& steps) {
    std::string path;
    for (const auto& step : steps) {
        if (!path.empty() && !step.starts_with('[')) path += '.';
        path += step;
    }
    return path;
}

}  // namespace

ConfigDocument::ConfigDocument(std::string_view text, std::string file)
    : file_(std::move(file)), root_(std::make_unique<nlohmann::json>()) {
    const wire::JsonLimits limits{
        .max_bytes = max_config_bytes, .comments = wire::Comments::allowed};
    *root_ = wire::parse_json(text, file_, limits, positions_);
}

ConfigDocument::~ConfigDocument() = default;

void ConfigErrors::add(const ConfigError& error) {
    if (all_.size() == most_errors) return;
    const std::string_view said = error.what();
    if (std::ranges::count(all_, said, &ConfigError::what) == 0) all_.push_back(error);
}

bool ConfigErrors::has(std::string_view path) const {
    return std::ranges::count(all_, path, &ConfigError::path) > 0;
}

void ConfigDocument::refuse(const std::vector<std::string>& steps, const std::string& why) const {
    throw finding(steps, why);
}

ConfigError ConfigDocument::finding(
    const std::vector<std::string>& steps, const std::string& why) const {
    wire::JsonPosition at;
    for (auto count = steps.size();; --count) {
        const auto found = positions_.find(pointer(steps, count));
        if (found != positions_.end()) {
            at = found->second;
            break;
        }
        if (count == 0) break;
    }
    const auto path = steps.empty() ? "the config" : key_path(steps);
    return {fmt::format("{}:{}:{}: {} {}", file_, at.line, at.column, path, why), path};
}

ConfigReader::ConfigReader(const ConfigDocument& document, ConfigErrors& errors)
    : document_(document), errors_(errors) {
    if (!document.root().is_object()) document.refuse({}, "must be an object");
    levels_.push_back({&document.root(), {}});
}

ConfigReader::~ConfigReader() = default;

std::vector<std::string> ConfigReader::steps(std::string_view key) const {
    auto all = way_;
    all.emplace_back(key);
    return all;
}

void ConfigReader::refuse(std::string_view key, const std::string& why) const {
    document_.refuse(steps(key), why);
}

// Within what is wrong as a whole nothing else is.
template <class Work>
bool ConfigReader::attempt(const Work& work) {
    const auto is_wrong = [](const Level& level) { return level.is_wrong; };
    if (std::none_of(levels_.begin(), levels_.end(), is_wrong)) return errors_.attempt(work);
    ConfigErrors ignored;
    return ignored.attempt(work);
}

void ConfigReader::check(bool fine, std::string_view key, const std::string& why) {
    if (fine || errors_.has(key_path(steps(key)))) return;  // what could not be read says it
    attempt([&] { refuse(key, why); });
}

const json* ConfigReader::take(std::string_view key, Presence presence) {
    Level& level = levels_.back();
    if (level.value->is_array()) {
        const auto index = std::stoul(std::string(key.substr(1)));
        return &level.value->at(index);
    }
    level.known.emplace(key);
    const auto found = level.value->find(key);
    if (found != level.value->end()) return &*found;
    if (presence == Presence::required) refuse_missing(key);
    return nullptr;
}

void ConfigReader::refuse_missing(std::string_view key) const {
    for (const auto& [name, unused] : levels_.back().value->items()) {
        if (levels_.back().known.contains(name)) continue;
        if (text::nearest(name, {std::string(key)})) refuse_unknown_key(name, {std::string(key)});
    }
    refuse(key, "is missing");
}

void ConfigReader::refuse_unknown_key(
    const std::string& key, const std::vector<std::string>& known) const {
    const auto hint = text::did_you_mean(key, known);
    refuse(
        key, "is not a known key" + (hint.empty() ? "; known here: " + text::joined(known) : hint));
}

void ConfigReader::no_key(std::string_view key, const std::string& why) {
    attempt([&] {
        if (levels_.back().value->contains(key)) refuse(key, why);
    });
}

bool ConfigReader::is_word(std::string_view key, std::string_view word) {
    Level& level = levels_.back();
    const bool is = level.value->contains(key) && level.value->at(key) == word;
    if (is) level.known.emplace(key);
    return is;
}

void ConfigReader::note_unknown() {
    const Level& level = levels_.back();
    if (!level.value->is_object()) return;
    for (const auto& one : level.value->items()) {
        if (level.known.contains(one.key())) continue;
        attempt([&] { refuse_unknown_key(one.key(), {level.known.begin(), level.known.end()}); });
    }
}

void ConfigReader::text(std::string_view key, std::string& value, const TextRule& rule) {
    attempt([&] {
        const json* found = take(key, rule.presence);
        if (!found) return;
        if (!found->is_string()) refuse(key, must_be("a text", *found));
        value = found->get<std::string>();
        if (value.size() > max_value_bytes) refuse(key, "is longer than 65536 bytes");
        if (!rule.problem) return;
        if (const auto problem = rule.problem(value); !problem.empty()) refuse(key, problem);
    });
}

void ConfigReader::integer(std::string_view key, std::int64_t& value, wire::IntegerRange range) {
    attempt([&] {
        const json* found = take(key, Presence::optional);
        if (!found) return;
        const auto wanted = fmt::format("an integer from {} to {}", range.low, range.high);
        if (!found->is_number_integer()) refuse(key, must_be(wanted, *found));
        value = found->get<std::int64_t>();
        if (value < range.low || value > range.high) refuse(key, must_be(wanted, *found));
    });
}

void ConfigReader::number(std::string_view key, double& value, wire::NumberRange range) {
    attempt([&] {
        const json* found = take(key, Presence::optional);
        if (!found) return;
        const auto wanted = fmt::format("a number from {} to {}", range.low, range.high);
        if (!found->is_number()) refuse(key, must_be(wanted, *found));
        value = found->get<double>();
        if (!(value >= range.low && value <= range.high)) refuse(key, must_be(wanted, *found));
    });
}

void ConfigReader::flag(std::string_view key, bool& value) {
    attempt([&] {
        const json* found = take(key, Presence::optional);
        if (!found) return;
        if (!found->is_boolean()) refuse(key, must_be("true or false", *found));
        value = found->get<bool>();
    });
}

void ConfigReader::word(
    std::string_view key,
    std::string& value,
    const std::vector<std::string>& choices,
    Presence presence) {
    attempt([&] {
        const json* found = take(key, presence);
        if (!found) return;
        const auto wanted = "one of " + text::joined(choices);
        if (!found->is_string()) refuse(key, must_be(wanted, *found));
        const auto given = found->get<std::string>();
        if (std::find(choices.begin(), choices.end(), given) == choices.end()) {
            refuse(key, must_be(wanted, *found) + text::did_you_mean(given, choices));
        }
        value = given;
    });
}

void ConfigReader::words(
    std::string_view key,
    std::vector<std::string>& values,
    const std::vector<std::string>& choices) {
    const json* found = nullptr;
    std::vector<std::string> given;
    const bool is_list = attempt([&] {
        found = take(key, Presence::optional);
        if (!found) return;
        given = read_texts(key, *found);
        if (given.empty()) refuse(key, "is empty; it must list some of " + text::joined(choices));
    });
    if (!is_list || !found) return;
    push(key, found, *found);
    std::vector<std::string> known;
    for (std::size_t i = 0; i < given.size(); ++i) {
        const auto entry = fmt::format("[{}]", i);
        std::string value;
        word(entry, value, choices, Presence::required);
        const bool is_new = std::find(known.begin(), known.end(), value) == known.end();
        check(is_new, entry, "is there twice");
        if (is_new && !value.empty()) known.push_back(value);
    }
    leave();
    values = std::move(known);
}

std::vector<std::string> ConfigReader::read_texts(std::string_view key, const json& value) const {
    if (!value.is_array()) refuse(key, must_be("a list of texts", value));
    if (value.size() > max_entries) refuse(key, "has more than 10000 entries");
    std::vector<std::string> texts;
    for (const auto& element : value) {
        if (!element.is_string()) refuse(key, "must hold texts only, not " + shown(element));
        texts.push_back(element.get<std::string>());
    }
    return texts;
}

void ConfigReader::texts(
    std::string_view key, std::vector<std::string>& values, const TextRule& rule) {
    attempt([&] {
        const json* found = take(key, rule.presence);
        if (!found) return;
        const bool one = rule.or_one && found->is_string();
        values = one ? std::vector{found->get<std::string>()} : read_texts(key, *found);
        if (values.empty() && rule.presence == Presence::required) {
            refuse(key, "is empty; it must be a list of " + std::string(rule.range));
        }
        for (std::size_t i = 0; rule.problem && i < values.size(); ++i) {
            const auto problem = rule.problem(values[i]);
            attempt([&] {
                if (!problem.empty()) refuse(key, fmt::format("[{}] {}", i, problem));
            });
        }
    });
}

void ConfigReader::text_map(std::string_view key, std::map<std::string, std::string>& values) {
    attempt([&] {
        const json* found = take(key, Presence::optional);
        if (!found) return;
        if (!found->is_object()) refuse(key, must_be("an object of texts", *found));
        values.clear();
        for (const auto& [name, value] : found->items()) {
            if (name.empty()) refuse(key, "has an empty name");
            const bool is_text = value.is_string();
            attempt([&, &name = name, &value = value] {
                if (is_text) return;
                refuse(key, fmt::format("must hold texts only; \"{}\" is {}", name, shown(value)));
            });
            if (is_text) values[name] = value.get<std::string>();
        }
    });
}

void ConfigReader::command(std::string_view key, Command& value, Shell shell) {
    attempt([&] {
        const json* found = take(key, Presence::optional);
        if (!found) return;
        if (found->is_string() && shell == Shell::allowed) {
            if (found->get<std::string>().empty()) refuse(key, "is empty; it must be a command");
            value = {"/bin/sh", "-c", found->get<std::string>()};
            return;
        }
        if (!found->is_array()) {
            const bool text = shell == Shell::allowed;
            refuse(key, must_be(text ? "a list of texts, or one text" : "a list of texts", *found));
        }
        value = read_texts(key, *found);
    });
}

void ConfigReader::push(std::string_view key, const json* value, const json& instead) {
    way_.emplace_back(key);
    levels_.push_back({value ? value : &instead, {}, value == nullptr});
}

bool ConfigReader::enter(std::string_view key, Presence presence, bool) {
    const json* found = nullptr;
    const bool is_object = attempt([&] {
        found = take(key, presence);
        if (found && !found->is_object()) refuse(key, must_be("an object", *found));
    });
    if (!is_object || !found) return false;
    push(key, found, *found);
    return true;
}

std::vector<std::string> ConfigReader::enter_table(
    std::string_view key, std::string_view, std::vector<std::string>) {
    const json* found = nullptr;
    const bool is_object = attempt([&] {
        found = take(key, Presence::optional);
        if (!found) return;
        if (!found->is_object()) refuse(key, must_be("an object", *found));
        if (found->size() > max_entries) refuse(key, "has more than 10000 entries");
    });
    push(key, !is_object ? nullptr : found ? found : &no_object, no_object);
    std::vector<std::string> names;
    for (const auto& [name, unused] : levels_.back().value->items()) {
        const bool is_name = attempt([&, &name = name] {
            const auto problem = name_problem(name);
            if (!problem.empty()) refuse(name, "is no name: it " + problem);
        });
        if (is_name) names.push_back(name);
        levels_.back().known.insert(name);
    }
    return names;
}

void ConfigReader::enter_entry(const std::string& name) {
    const json* found = nullptr;
    const bool is_object = attempt([&] {
        found = take(name, Presence::required);
        if (!found->is_object()) refuse(name, must_be("an object", *found));
    });
    push(name, is_object ? found : nullptr, no_object);
}

std::size_t ConfigReader::enter_list(std::string_view key, std::size_t) {
    static const json empty = json::array();
    const json* found = nullptr;
    const bool is_list = attempt([&] {
        found = take(key, Presence::optional);
        if (!found) return;
        if (!found->is_array()) refuse(key, must_be("a list", *found));
        if (found->size() > max_entries) refuse(key, "has more than 10000 entries");
    });
    push(key, !is_list ? nullptr : found ? found : &empty, empty);
    return levels_.back().value->size();
}

bool ConfigReader::has(std::string_view key, bool) {
    return take(key, Presence::optional) != nullptr;
}

void ConfigReader::leave() {
    note_unknown();
    levels_.pop_back();
    way_.pop_back();
}

}  // namespace vigil::service
