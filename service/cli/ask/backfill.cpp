#include "service/cli/ask/backfill.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/http/target.hpp"
#include "schema/model/state_sets.hpp"
#include "schema/text/numbers.hpp"
#include "service/cli/ask/reply.hpp"
#include "service/cli/common/display.hpp"

namespace vigil::cli {

namespace {

using nlohmann::json;

constexpr int backfill_poll_s = 5;
constexpr long long backfill_timeout_s = 864'000;

json load_backfill(const CommandContext& context, const std::string& id) {
    return context.api.get("/api/v1/backfills/" + id);
}

/// The steps that it found, the largest first.
ExitCode print_steps(const CommandContext& context, const json& backfill) {
    if (context.json) return print_json(context, backfill);
    auto& out = *context.world.out;
    out << fmt::format(
        "backfill {} of {}: {}, {}\n",
        number_at(backfill, "id"),
        printable(text_at(backfill, "project")),
        printable(text_at(backfill, "state")),
        printable(backfill_words(backfill)));
    for (const auto& night : array_at(backfill, "nightlies")) {
        if (text_at(night, "state") != "failed") continue;
        out << fmt::format(
            "  not measured: {} ({}): {}\n",
            printable(night_name(night)),
            printable(brief_at(night, "revision")),
            printable(text_at(night, "message")));
    }
    for (const auto& archive : array_at(backfill, "skipped_archives")) {
        out << fmt::format(
            "  skipped: {}: {}\n",
            printable(text_at(archive, "version")),
            printable(text_at(archive, "message")));
    }
    const auto& found = array_at(backfill, "found");
    if (found.empty()) return ExitCode::ok;
    const std::vector<ListColumn> columns{
        {"CHANGE", [](const json& one) { return text::percent(real_at(one, "change_ratio")); }},
        {"SINCE", "since_name"},
        {"AFTER", hash_at("good_revision")},
        {"UP TO", hash_at("bad_revision")},
        {"SURE", [](const json& one) { return text_at(one, "kind") == "past" ? "yes" : "no"; }},
        {"SERIES", series_words}};
    out << table_of(context, found, columns);
    return ExitCode::ok;
}

ExitCode wait_for_backfill(const CommandContext& context, const std::string& id) {
    const auto timeout_s = context.invocation.number("timeout", backfill_timeout_s);
    const std::int64_t until_s = context.world.now_s() + timeout_s;
    std::string said;
    for (;;) {
        const auto backfill = load_backfill(context, id);
        const auto words = text_at(backfill, "state") + ": " + backfill_words(backfill);
        if (has_backfill_ended(backfill)) {
            print_steps(context, backfill);
            return text_at(backfill, "state") == "done" ? ExitCode::ok : ExitCode::negative;
        }
        if (!context.json && words != said) {
            *context.world.out << printable(words) << "\n" << std::flush;
            said = words;
        }
        if (context.world.now_s() >= until_s) {
            *context.world.err << "vigil: the backfill did not end in " << text::duration(timeout_s)
                               << "; it continues on the server\n";
            return ExitCode::negative;
        }
        context.world.pause_s(backfill_poll_s);
    }
}

}  // namespace

bool has_backfill_ended(const json& backfill) {
    return !is_one<BackfillState>(text_at(backfill, "state"), is_open);
}

std::string backfill_words(const json& backfill) {
    const auto state = text_at(backfill, "state");
    if (state == "listing") return "listing the nights";
    if (state != "measuring") return text_at(backfill, "message");
    const auto measured = number_at(backfill, "measured");
    const auto failed = number_at(backfill, "failed");
    const auto all =
        measured + failed + number_at(backfill, "waiting") + number_at(backfill, "measuring");
    auto words = fmt::format("{} of {} measured", measured, text::counted(all, "night", "nights"));
    if (failed > 0) words += fmt::format(", {} could not be", failed);
    if (const auto skipped = number_at(backfill, "skipped"); skipped > 0) {
        words += fmt::format(", {} skipped", skipped);
    }
    if (is_set(backfill, "remaining_s")) {
        words += ", about " + text::duration(number_at(backfill, "remaining_s")) + " left";
    }
    return words;
}

ExitCode ask_backfill(const CommandContext& context) {
    const auto& invocation = context.invocation;
    const auto& project = invocation.arguments[0];
    json wish = {{"nights", invocation.number("nights", 30)}};
    if (invocation.has("runs-budget")) wish["runs_budget"] = invocation.number("runs-budget", 0);
    const bool dry_run = invocation.has("dry-run");
    if (dry_run) wish["dry_run"] = true;
    const auto path = "/api/v1/projects/" + http::percent_encode(project) + "/backfills";
    const auto reply = context.api.post(path, wish);
    const auto plan = fmt::format(
        "at most {} of {} runs each",
        text::counted(number_at(reply, "most_nights"), "night", "nights"),
        number_at(reply, "night_runs"));
    if (dry_run) return print_reply(context, reply, "It would measure " + plan + ".\n");
    const auto id = std::to_string(number_at(reply, "backfill"));
    if (invocation.has("wait")) return wait_for_backfill(context, id);
    return print_reply(
        context,
        reply,
        fmt::format(
            "Backfill {} of {} is stored: {}; vigil backfill show {} shows its progress.\n",
            id,
            printable(project),
            plan,
            id));
}

ExitCode show_backfill(const CommandContext& context) {
    return print_steps(context, load_backfill(context, id_argument(context)));
}

ExitCode list_backfills(const CommandContext& context) {
    return print_list(
        context,
        list_requested(context, "/api/v1/backfills", {"project"}),
        "No backfill.",
        {{"ID", "id"},
         {"PROJECT", "project"},
         {"STATE", "state"},
         {"NIGHTS", "nights"},
         {"STEPS", "steps"},
         {"ASKED", ago_at(context, "created_at_s")},
         {"SAYS", backfill_words}},
        "STATE");
}

ExitCode cancel_backfill(const CommandContext& context) {
    const auto id = id_argument(context);
    const auto reply = context.api.post("/api/v1/backfills/" + id + "/cancel", json::object());
    const bool is_cancelled = is_set(reply, "cancelled_by");
    return print_reply(
        context,
        reply,
        fmt::format(
            "Backfill {} {}.\n",
            id,
            is_cancelled ? "ends; the measured nights become history" : "had ended before"));
}

}  // namespace vigil::cli
