#include "service/cli/ask/trigger.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/model/state_sets.hpp"
#include "schema/text/numbers.hpp"
#include "service/cli/ask/reply.hpp"
#include "service/cli/common/display.hpp"

namespace vigil::cli {

namespace {

using nlohmann::json;

constexpr int poll_s = 2;
constexpr long long default_timeout_s = 86'400;

/// Where a wish and its night stand, in one line.
struct Progress {
    std::string words;
    bool ended = false;
    bool failed = false;
    std::int64_t nightly = 0;
};

Progress look(const CommandContext& context, std::int64_t trigger) {
    const auto wish = context.api.get("/api/v1/triggers/" + std::to_string(trigger));
    const std::string state = text_at(wish, "state");
    Progress progress;
    progress.words = "looking for a nightly";
    if (state == "failed") return {text_at(wish, "message"), true, true, 0};
    if (!is_set(wish, "nightly")) {
        if (state == "done") return {text_at(wish, "message"), true, false, 0};
        return progress;
    }
    progress.nightly = number_at(wish, "nightly");
    const auto night = context.api.get("/api/v1/nightlies/" + std::to_string(progress.nightly));
    const std::string now = text_at(night, "state");
    progress.words = fmt::format("nightly of {}: {}", night_name(night), now);
    progress.ended = is_one<NightlyState>(now, is_over);
    progress.failed = now == "failed";
    if (progress.failed) progress.words += ": " + text_at(night, "message");
    return progress;
}

/// How the night stands; then each open regression of its project and each missing thing.
std::string summary_words(const json& summary) {
    const auto& headline = object_at(summary, "headline");
    const auto coverage = text_at(headline, "coverage");
    std::string out = printable(text_at(headline, "words"));
    out += (coverage.empty() ? "" : ": " + printable(coverage)) + "\n";
    const auto& night = object_at(summary, "nightly");
    if (is_set(night, "beside")) out += "  " + printable(text_at(night, "beside")) + "\n";
    for (const auto& one : array_at(summary, "open")) {
        const auto since = is_set(one, "found_name") ? "found_name" : "found_day";
        out += fmt::format(
            "  {}: {} ({}{})\n",
            number_at(one, "id"),
            printable(text_at(one, "title")),
            printable(text_at(one, "state")),
            flag_at(one, "new") ? "" : ", since " + printable(text_at(one, since)));
    }
    for (const auto& one : array_at(summary, "missing")) {
        out += fmt::format(
            "  missing: {}: {}\n", printable(text_at(one, "what")), printable(text_at(one, "why")));
    }
    return out;
}

/// What a night's summary says, of a wish that found no nightly to measure.
json without_night(const CommandContext& context, const Progress& progress) {
    json open = json::array();
    const std::map<std::string, std::string> filters{{"project", context.invocation.arguments[0]}};
    for (const auto& one : context.api.list("/api/v1/regressions", filters, max_lines)) {
        if (!is_open_state(text_at(one, "state"))) continue;
        open.push_back(
            {{"id", number_at(one, "id")},
             {"state", text_at(one, "state")},
             {"title", regression_words(one)},
             {"new", false},
             {"found_day", text::utc(number_at(one, "created_at_s")).substr(0, 10)}});
    }
    const auto words =
        open.empty() ? "nothing is open" : text::counted(std::ssize(open), "regression") + " open";
    return {
        {"nightly", nullptr},
        {"message", progress.words},
        {"headline", {{"words", words}}},
        {"open", std::move(open)}};
}

ExitCode end_of_wait(const CommandContext& context, const Progress& progress) {
    const auto summary =
        progress.nightly == 0
            ? without_night(context, progress)
            : context.api.get("/api/v1/nights/" + std::to_string(progress.nightly) + "/summary");
    if (context.json) {
        print_json(context, summary);
    } else {
        const auto& night = object_at(summary, "nightly");
        const auto withdrawn = withdrawn_words(array_at(night, "withdrawn"));
        if (!withdrawn.empty()) *context.world.out << printable(withdrawn) << "\n";
        *context.world.out << summary_words(summary);
    }
    const bool open = !array_at(summary, "open").empty();
    return progress.failed || open ? ExitCode::negative : ExitCode::ok;
}

ExitCode wait_for(const CommandContext& context, std::int64_t trigger) {
    const long long timeout_s = context.invocation.number("timeout", default_timeout_s);
    const std::int64_t until_s = context.world.now_s() + timeout_s;
    std::string said;
    for (;;) {
        const Progress progress = look(context, trigger);
        if (!context.json && progress.words != said) {
            *context.world.out << printable(progress.words) << "\n" << std::flush;
            said = progress.words;
        }
        if (progress.ended) return end_of_wait(context, progress);
        if (context.world.now_s() >= until_s) {
            *context.world.err << "vigil: the night did not end in " << text::duration(timeout_s)
                               << "; it continues on the server\n";
            return ExitCode::negative;
        }
        context.world.pause_s(poll_s);
    }
}

}  // namespace

ExitCode trigger_night(const CommandContext& context) {
    json wish = {{"project", context.invocation.arguments[0]}};
    for (const char* name : {"revision", "version"}) {
        if (context.invocation.has(name)) wish[name] = context.invocation.get(name);
    }
    const std::string key =
        context.invocation.has("key") ? context.invocation.get("key") : context.world.random_key();
    const auto reply = context.api.post("/api/v1/triggers", wish, key);
    const std::int64_t id = number_at(reply, "trigger");
    print_note(context, reply);
    if (context.invocation.has("wait")) return wait_for(context, id);
    return print_reply(
        context,
        reply,
        fmt::format(
            "A nightly of {} is requested (trigger {}); vigil status shows it.\n",
            printable(context.invocation.arguments[0]),
            id));
}

}  // namespace vigil::cli
