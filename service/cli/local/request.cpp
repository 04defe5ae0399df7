#include "service/cli/local/request.hpp"

#include <filesystem>
#include <set>

#include "schema/text/nearest.hpp"
#include "schema/wire/digest.hpp"
#include "schema/wire/series_rule_json.hpp"
#include "service/cli/common/input.hpp"

namespace vigil::cli {

namespace {

constexpr long long most_seconds = 8'640'000;

std::string needed(const Invocation& invocation, const std::string& name) {
    const std::string text = invocation.get(name);
    if (text.empty()) {
        refuse(
            "vigil " + invocation.command->name + " needs --" + name +
            "; for example: " + invocation.command->examples.front());
    }
    if (text.find('\0') != text.npos) refuse("--" + name + " holds a NUL byte");
    return text;
}

std::filesystem::path state_folder(const Invocation& invocation, const Surroundings& world) {
    if (invocation.has("state")) return needed(invocation, "state");
    const auto value = [&](const char* name) {
        const auto found = world.environment.find(name);
        return found == world.environment.end() ? "" : found->second;
    };
    if (value("XDG_STATE_HOME").starts_with('/')) {
        return std::filesystem::path(value("XDG_STATE_HOME")) / "vigil";
    }
    if (value("HOME").starts_with('/')) {
        return std::filesystem::path(value("HOME")) / ".local" / "state" / "vigil";
    }
    refuse("there is no home folder to keep builds in; give --state DIR");
}

std::vector<std::string> outputs_of(const Invocation& invocation) {
    const auto outputs = split_by_comma(invocation.get("outputs"));
    for (const auto& output : outputs) {
        const auto path = std::filesystem::path(output).lexically_normal();
        if (path.is_absolute() || path.empty() || *path.begin() == ".." || *path.begin() == ".") {
            refuse("--outputs must be paths inside of the tree, not '" + output + "'");
        }
    }
    if (outputs.empty() && invocation.has("outputs")) refuse("--outputs names no path");
    return outputs;
}

/// "runs=200,builds=20,minutes=90,further=50%" in any order and choice.
local::Spending parse_budget(const std::string& text) {
    local::Spending spending;
    std::set<std::string> seen;
    for (const auto& part : split_by_comma(text)) {
        const auto equals = part.find('=');
        const std::string name = part.substr(0, equals);
        const std::string value = equals == part.npos ? "" : part.substr(equals + 1);
        const std::string what = "--budget " + name;
        if (!seen.insert(name).second) refuse(what + " is given twice");
        if (name == "runs") {
            spending.runs = static_cast<int>(parse_number(value, what, 1, 1'000'000));
        } else if (name == "builds") {
            spending.builds = static_cast<int>(parse_number(value, what, 1, 1'000'000));
        } else if (name == "minutes") {
            spending.seconds = 60 * parse_number(value, what, 1, most_seconds / 60);
        } else if (name == "further") {
            spending.further = value == "0" ? 0 : parse_ratio(value, what);
        } else {
            refuse(
                "--budget must be like runs=200,builds=20,minutes=90,further=50%, not '" + text +
                "'");
        }
    }
    if (seen.empty()) refuse("--budget '" + text + "' limits nothing");
    return spending;
}

/// One of our own words, or a quantity of the benchmark's harness by its name.
void take_metric(const Invocation& invocation, local::Order& order) {
    const std::string name = invocation.get("metric", "time");
    const auto known = find_enum<local::Measure>(name);
    if (known && *known != local::Measure::quantity) {
        order.measure = *known;
        return;
    }
    const std::string meant = text::did_you_mean(name, {"time", "cpu", "memory", "samples"}, '\'');
    if (!meant.empty()) {
        refuse(
            "--metric must be one of time, cpu, memory, samples, or a quantity that the "
            "benchmark's harness prints, not '" +
            name + "'" + meant);
    }
    order.measure = local::Measure::quantity;
    order.quantity = name;
}

void take_rules(const std::string& name, const Surroundings& world, local::Order& order) {
    const auto text = read_rules(name, world);
    order.rules = wire::parse_series_rules(text, name);
    order.rules_file = std::filesystem::absolute(name).lexically_normal().string();
    order.rules_digest = wire::sha256(text).str();
}

}  // namespace

local::LocalRequest request_of(const Invocation& invocation, const Surroundings& world) {
    local::LocalRequest request;
    request.good = needed(invocation, "good");
    request.bad = needed(invocation, "bad");
    request.order.bench = needed(invocation, "bench");
    request.order.build = invocation.get("build", local::nothing_to_build);
    take_metric(invocation, request.order);
    if (invocation.has("case") && invocation.has("select")) {
        refuse("--select is the older name of --case: give one of them");
    }
    request.order.select = invocation.get("case", invocation.get("select"));
    request.order.ignore_failure = invocation.has("ignore-failure");
    if (invocation.has("higher-is-better")) {
        if (request.order.measure != local::Measure::samples &&
            request.order.measure != local::Measure::quantity) {
            refuse(
                "--higher-is-better is for --metric samples, or a quantity that a harness "
                "prints: less time is better");
        }
        request.order.direction = Direction::higher_is_better;
    }
    request.order.better = invocation.has("better");
    if (invocation.has("rules")) take_rules(needed(invocation, "rules"), world, request.order);
    request.order.threshold = invocation.ratio("threshold", 0.07);
    request.order.outputs = outputs_of(invocation);
    request.order.path = invocation.get("path");
    const auto count = [&](const char* name, int usual) {
        return static_cast<int>(invocation.number(name, usual));
    };
    request.order.timeout_s = count("timeout", request.order.timeout_s);
    request.jobs = count("jobs", request.jobs);
    if (invocation.has("budget")) request.spending = parse_budget(invocation.get("budget"));
    request.max_blocks = count("blocks", request.max_blocks);
    request.at_once = count("at-once", request.at_once);
    local::check_at_once(request);
    request.why = invocation.has("why");
    if (invocation.has("profiler")) {
        request.profiler = find_enum<Profiler>(invocation.get("profiler"));
    }
    request.again = invocation.has("again");
    request.repository = invocation.get("repo", ".");
    request.state = state_folder(invocation, world);
    return request;
}

}  // namespace vigil::cli
