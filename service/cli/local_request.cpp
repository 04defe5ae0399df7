#include <charconv>
#include <cmath>

#include "schema/model/error.hpp"
#include "service/cli/local.hpp"
#include "service/local/together.hpp"

namespace vigil::cli {

namespace {

constexpr long long most_seconds = 8'640'000;

[[noreturn]] void refuse_option(const std::string& message) {
    throw Error(Errc::invalid_argument, message);
}

std::vector<std::string> split_by_comma(const std::string& text) {
    std::vector<std::string> parts;
    std::size_t at = 0;
    while (at <= text.size()) {
        const auto end = std::min(text.find(',', at), text.size());
        if (end > at) parts.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return parts;
}

std::string needed(const Invocation& invocation, const std::string& name) {
    const std::string text = invocation.get(name);
    if (text.empty()) {
        refuse_option(
            "vigil " + invocation.command->name + " needs --" + name +
            "; for example: " + invocation.command->examples.front());
    }
    if (text.find('\0') != text.npos) refuse_option("--" + name + " holds a NUL byte");
    return text;
}

std::filesystem::path state_folder(
    const Invocation& invocation, const std::map<std::string, std::string>& environment) {
    if (invocation.has("state")) return needed(invocation, "state");
    const auto value = [&](const char* name) {
        const auto found = environment.find(name);
        return found == environment.end() ? "" : found->second;
    };
    if (value("XDG_STATE_HOME").starts_with('/')) {
        return std::filesystem::path(value("XDG_STATE_HOME")) / "vigil";
    }
    if (value("HOME").starts_with('/')) {
        return std::filesystem::path(value("HOME")) / ".local" / "state" / "vigil";
    }
    refuse_option("there is no home folder to keep builds in; give --state DIR");
}

std::vector<std::string> outputs_of(const Invocation& invocation) {
    const auto outputs = split_by_comma(invocation.get("outputs"));
    for (const auto& output : outputs) {
        const auto path = std::filesystem::path(output).lexically_normal();
        if (path.is_absolute() || path.empty() || *path.begin() == ".." || path == ".") {
            refuse_option("--outputs must be paths inside of the tree, not '" + output + "'");
        }
    }
    return outputs;
}

}  // namespace

double parse_threshold(const std::string& text) {
    const bool percent = text.ends_with('%');
    const auto digits = text.substr(0, text.size() - (percent ? 1 : 0));
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (percent) value /= 100;
    const bool whole = error == std::errc() && end == digits.data() + digits.size();
    if (!whole || !std::isfinite(value) || value < 1e-4 || value > 100) {
        refuse_option(
            "--threshold must be a ratio like 7% or 0.07, at least 0.01%, not '" + text + "'");
    }
    return value;
}

local::Spending parse_budget(const std::string& text) {
    local::Spending spending;
    for (const auto& part : split_by_comma(text)) {
        const auto equals = part.find('=');
        const std::string name = part.substr(0, equals);
        const std::string value = equals == part.npos ? "" : part.substr(equals + 1);
        const std::string what = "--budget " + name;
        if (name == "runs") {
            spending.runs = static_cast<int>(parse_number(value, what, 1, 1'000'000));
        } else if (name == "builds") {
            spending.builds = static_cast<int>(parse_number(value, what, 1, 1'000'000));
        } else if (name == "minutes") {
            spending.seconds = 60 * parse_number(value, what, 1, most_seconds / 60);
        } else {
            refuse_option(
                "--budget must be like runs=200,builds=20,minutes=90, not '" + text + "'");
        }
    }
    return spending;
}

local::Request request_of(
    const Invocation& invocation, const std::map<std::string, std::string>& environment) {
    local::Request request;
    request.good = needed(invocation, "good");
    request.bad = needed(invocation, "bad");
    request.order.bench = needed(invocation, "bench");
    request.order.build = invocation.get("build", "true");
    request.order.measure = parse_enum<local::Measure>(invocation.get("metric", "time"));
    if (invocation.has("higher-is-better")) {
        if (request.order.measure != local::Measure::samples) {
            refuse_option("--higher-is-better is for --metric samples: less time is better");
        }
        request.order.direction = Direction::higher_is_better;
    }
    request.order.threshold = parse_threshold(invocation.get("threshold", "7%"));
    request.order.outputs = outputs_of(invocation);
    request.order.path = invocation.get("path");
    request.order.timeout_s =
        static_cast<int>(parse_number(invocation.get("timeout", "3600"), "--timeout", 1, 864'000));
    request.jobs = static_cast<int>(parse_number(invocation.get("jobs", "1"), "--jobs", 1, 64));
    request.spending = parse_budget(invocation.get("budget"));
    request.max_blocks =
        static_cast<int>(parse_number(invocation.get("blocks", "12"), "--blocks", 1, 100));
    if (invocation.has("at-once")) {
        request.at_once = static_cast<int>(
            parse_number(invocation.get("at-once"), "--at-once", 1, local::most_at_once));
    }
    request.again = invocation.has("again");
    request.repository = invocation.get("repo", ".");
    request.state = state_folder(invocation, environment);
    return request;
}

}  // namespace vigil::cli
