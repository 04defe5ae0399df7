#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/text/nearest.hpp"
#include "schema/wire/json.hpp"
#include "service/config/keys.hpp"
#include "service/config/self_test.hpp"

// The config as it stands, and its keys.

namespace vigil::service {

namespace {

using nlohmann::json;

/// Visits a config without changing it: every value comes as JSON, with its range in words.
class Shower : public KeyVisitor {
  public:
    void check(bool, std::string_view, const std::string&) override {}

    void text(std::string_view key, std::string& value, const TextRule& rule) override {
        add(key, rule.range, rule.presence, value);
    }
    void integer(std::string_view key, std::int64_t& value, wire::IntegerRange range) override {
        add(key, fmt::format("{} to {}", range.low, range.high), Presence::optional, value);
    }
    void number(std::string_view key, double& value, wire::NumberRange range) override {
        add(key, fmt::format("{} to {}", range.low, range.high), Presence::optional, value);
    }
    void flag(std::string_view key, bool& value) override {
        add(key, "true, false", Presence::optional, value);
    }
    void word(
        std::string_view key,
        std::string& value,
        const std::vector<std::string>& choices,
        Presence presence) override {
        add(key, text::joined(choices), presence, value);
    }
    void words(
        std::string_view key,
        std::vector<std::string>& values,
        const std::vector<std::string>& choices) override {
        add(key, "list of " + text::joined(choices), Presence::optional, values);
    }
    void texts(
        std::string_view key, std::vector<std::string>& values, const TextRule& rule) override {
        const std::string range(rule.range);
        add(key, rule.or_one ? range + ", or a list" : "list of " + range, rule.presence, values);
    }
    void text_map(std::string_view key, std::map<std::string, std::string>& values) override {
        add(key, "object of texts", Presence::optional, values);
    }
    void command(std::string_view key, Command& value, Shell shell) override {
        const bool text = shell == Shell::allowed;
        add(key, text ? "list of texts, or a text" : "list of texts", Presence::optional, value);
    }

  protected:
    virtual void add(
        std::string_view key, std::string_view range, Presence presence, const json& value) = 0;
};

/// Writes what it is shown; what comes out is a config again.
class Writer final : public Shower {
  public:
    std::string take() const { return root_.dump(2, ' ', false, json::error_handler_t::replace); }

    bool enter(std::string_view key, Presence, bool present) override {
        if (present) push(at(key), json::object());
        return present;
    }
    std::vector<std::string> enter_table(
        std::string_view key, std::string_view, std::vector<std::string> names) override {
        push(at(key), json::object());
        return names;
    }
    void enter_entry(const std::string& name) override { push(at(name), json::object()); }
    std::size_t enter_list(std::string_view key, std::size_t size) override {
        push(at(key), json::array());
        return size;
    }
    void leave() override { path_.pop_back(); }
    bool has(std::string_view, bool present) override { return present; }

  private:
    void add(std::string_view key, std::string_view, Presence, const json& value) override {
        at(key) = value;
    }
    /// The place of a key; entries of a list come in order.
    json& at(std::string_view key) {
        json& here = *path_.back();
        if (here.is_object()) return here[std::string(key)];
        here.push_back(nullptr);
        return here.back();
    }
    void push(json& place, json empty) {
        place = std::move(empty);
        path_.push_back(&place);
    }

    json root_ = json::object();
    std::vector<json*> path_{&root_};
};

/// Notes every key with its range and its default.
class Lister final : public Shower {
  public:
    std::vector<KeyInfo> take() { return std::move(keys_); }

    bool every() const override { return true; }
    bool enter(std::string_view key, Presence presence, bool present) override {
        const bool needed = presence == Presence::required;
        push(key);
        keys_.push_back({path_.back(), "object", needed ? "required" : present ? "{}" : "none"});
        return true;
    }
    std::vector<std::string> enter_table(
        std::string_view key, std::string_view placeholder, std::vector<std::string>) override {
        push(key);
        if (!key.starts_with('<')) keys_.push_back({path_.back(), "object by name", "{}"});
        return {std::string(placeholder)};
    }
    void enter_entry(const std::string& name) override { push(name); }
    std::size_t enter_list(std::string_view key, std::size_t) override {
        push(key);
        keys_.push_back({path_.back(), "list", "[]"});
        return 1;
    }
    void leave() override { path_.pop_back(); }
    bool has(std::string_view, bool) override {
        has_default_ = false;
        return true;
    }

  private:
    std::string below(std::string_view key) const {
        if (path_.empty()) return std::string(key);
        if (key.starts_with('[')) return path_.back() + "[]";
        return path_.back() + "." + std::string(key);
    }
    void push(std::string_view key) { path_.push_back(below(key)); }
    void add(std::string_view key, std::string_view range, Presence presence, const json& value)
        override {
        const bool needed = presence == Presence::required;
        const auto usual = has_default_ ? wire::write_json(value) : "none";
        keys_.push_back({below(key), std::string(range), needed ? "required" : usual});
        has_default_ = true;
    }

    std::vector<std::string> path_;
    std::vector<KeyInfo> keys_;
    bool has_default_ = true;  ///< of the next key
};

}  // namespace

std::string effective_config(const Config& config) {
    Writer writer;
    Config copy = config;  // the visitor's interface is the reader's too
    if (copy.self_test) copy.projects.erase(std::string(self_test_name));  // it follows from it
    describe(writer, copy);
    return writer.take();
}

bool takes_night_summaries(const ReportTarget& target) {
    return target.night_summaries.value_or(!calls_people(target.kind));
}

bool calls_people(TargetKind kind) {
    return kind == TargetKind::issues || kind == TargetKind::slack || kind == TargetKind::mail;
}

const std::string* find_worker_class(const Config& config, const std::string& worker) {
    if (const auto own = config.workers.find(worker); own != config.workers.end()) {
        return &own->second.machine_class;
    }
    if (!config.fleet) return nullptr;
    const auto at = worker.find('@');
    const auto found = at == worker.npos ? config.fleet->machine_classes.end()
                                         : config.fleet->machine_classes.find(worker.substr(0, at));
    return found == config.fleet->machine_classes.end() ? nullptr : &found->first;
}

bool is_external(const ProjectConfig& project) {
    return project.source.kind == SourceKind::elsewhere;
}

const Recipe* find_recipe(const ProjectConfig& project, InputKind input) {
    const bool has_one = project.source.kind == SourceKind::git || is_external(project);
    if (has_one || input == InputKind::archive) return &project.recipe;
    return project.source_recipe ? &*project.source_recipe : nullptr;
}

bool has_history(const ProjectConfig& project) {
    return project.source.kind == SourceKind::git ||
           (!is_external(project) && !project.source.repository.empty());
}

std::optional<std::string> why_no_revisions(const ProjectConfig& project) {
    if (is_external(project)) {
        return "the project is measured elsewhere; single revisions cannot be built";
    }
    if (find_recipe(project, InputKind::source_tree) != nullptr) return std::nullopt;
    const std::string archives = "the project's builds come as archives; ";
    if (!has_history(project)) {
        return archives + "source.repository is not set, so their commits are not known";
    }
    return archives + "source_recipe is not set, so single revisions cannot be built";
}

void check_searchable(const ProjectConfig& project) {
    const auto why = why_no_revisions(project);
    if (!why) return;
    throw Error(
        Errc::conflict, "project " + project.name + ": " + *why + "; so nothing is searched");
}

bool are_archives_searched(const ProjectConfig& project) {
    return project.source.kind != SourceKind::git && !why_no_revisions(project);
}

bool can_measure_again(const ProjectConfig& project) {
    return !is_external(project) || project.source.callback;
}

double threshold_of(const Thresholds& thresholds, Metric metric) {
    switch (kind_of(metric)) {
        case MetricKind::time: return thresholds.time_ratio;
        case MetricKind::memory: return thresholds.memory_ratio;
        case MetricKind::count:
        case MetricKind::other: return thresholds.other_ratio;
    }
    return thresholds.other_ratio;
}

std::vector<KeyInfo> list_keys() {
    Lister lister;
    Config config;
    describe(lister, config);
    return lister.take();
}

}  // namespace vigil::service
