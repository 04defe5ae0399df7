#include <nlohmann/json.hpp>

#include "service/config/config.hpp"
#include "service/config/keys.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

/// Writes what it is shown; what comes out is a config again.
class Writer final : public KeyVisitor {
  public:
    std::string take() const { return root_.dump(2, ' ', false, json::error_handler_t::replace); }

    void check(bool, std::string_view, const std::string&) override {}
    void text(std::string_view key, std::string& value, const TextRule&) override {
        at(key) = value;
    }
    void integer(std::string_view key, std::int64_t& value, wire::IntegerRange) override {
        at(key) = value;
    }
    void number(std::string_view key, double& value, wire::NumberRange) override {
        at(key) = value;
    }
    void flag(std::string_view key, bool& value) override { at(key) = value; }
    void word(std::string_view key, std::string& value, const std::vector<std::string>&, Presence)
        override {
        at(key) = value;
    }
    void words(
        std::string_view key,
        std::vector<std::string>& values,
        const std::vector<std::string>&) override {
        at(key) = values;
    }
    void texts(std::string_view key, std::vector<std::string>& values, const TextRule&) override {
        at(key) = values;
    }
    void text_map(std::string_view key, std::map<std::string, std::string>& values) override {
        at(key) = values;
    }
    void command(std::string_view key, Command& value, Shell) override { at(key) = value; }

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

  private:
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

}  // namespace

std::string effective_config(const Config& config) {
    Writer writer;
    Config copy = config;  // the visitor's interface is the reader's too
    describe(writer, copy);
    return writer.take();
}

bool takes_night_summaries(const ReportTarget& target) {
    return target.night_summaries.value_or(target.kind != TargetKind::issues);
}

double threshold_of(const Thresholds& thresholds, Metric metric) {
    switch (kind_of(metric)) {
        case MetricKind::time: return thresholds.time_ratio;
        case MetricKind::memory: return thresholds.memory_ratio;
        case MetricKind::other: return thresholds.other_ratio;
    }
    return thresholds.other_ratio;
}

}  // namespace vigil::service
