#include "service/cli/ask/status.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/model/state_sets.hpp"
#include "schema/text/numbers.hpp"
#include "service/cli/ask/backfill.hpp"
#include "service/cli/ask/reply.hpp"
#include "service/cli/common/display.hpp"

namespace vigil::cli {

namespace {

using nlohmann::json;

constexpr std::int64_t nights_looked_at = 50;
constexpr std::size_t nights_for_estimate = 5;
constexpr std::size_t unserved_shown = 5;
constexpr std::int64_t parked_looked_at = 500;
constexpr std::size_t parked_shown = 5;
constexpr std::size_t groups_shown = 10;

bool has_ended(const json& night) {
    return is_one<NightlyState>(text_at(night, "state"), is_over);
}

/// Its backfill tells of it.
bool is_of_backfill(const json& night) {
    return is_set(night, "backfill") && is_set(night, "beside");
}

/// Backfills that go on.
json list_running_backfills(
    const CommandContext& context,
    const std::map<std::string, std::string>& project,
    const json& nights) {
    json running = json::array();
    if (std::none_of(nights.begin(), nights.end(), is_of_backfill)) return running;
    for (const auto& one : context.api.list("/api/v1/backfills", project, nights_looked_at)) {
        if (!has_backfill_ended(one)) running.push_back(one);
    }
    return running;
}

/// Each project's newest night that was judged.
std::vector<std::int64_t> judged_nights(const json& nights) {
    std::vector<std::int64_t> judged;
    std::set<std::string> seen;
    for (const auto& night : nights) {
        const bool judged_yet = is_one<NightlyState>(text_at(night, "state"), is_judged);
        if (!judged_yet || is_set(night, "beside")) continue;
        if (seen.insert(text_at(night, "project")).second) {
            judged.push_back(number_at(night, "id"));
        }
    }
    return judged;
}

/// No session measures it: it waits for its turn tonight, or goes on with the next night.
json list_unserved(const CommandContext& context, const json& nights) {
    std::vector<json> unserved;
    for (const auto night : judged_nights(nights)) {
        const std::map<std::string, std::string> filters{{"nightly", std::to_string(night)}};
        for (const auto& one : context.api.list("/api/v1/suspicions", filters, max_lines)) {
            const bool waits = !text_at(one, "waits").empty() || text_at(one, "state") == "open";
            if (waits && !is_set(one, "session")) unserved.push_back(one);
        }
    }
    std::stable_sort(unserved.begin(), unserved.end(), [](const json& a, const json& b) {
        return real_at(a, "chance") > real_at(b, "chance");
    });
    return unserved;
}

/// The newest night of each project, and what still goes on.
json shown_nights(const json& nights) {
    json shown = json::array();
    std::set<std::string> seen;
    for (const auto& night : nights) {
        if (is_of_backfill(night)) continue;
        const bool newest =
            !is_set(night, "beside") && seen.insert(text_at(night, "project")).second;
        if (newest || !has_ended(night)) shown.push_back(night);
    }
    return shown;
}

/// Of a night that is shown; the service will not make it again by itself.
json list_parked(const CommandContext& context, const json& nights) {
    json parked = json::array();
    auto filters = filters_of(context, {"project"});
    filters["state"] = "parked";
    for (const auto& job : context.api.list("/api/v1/jobs", filters, parked_looked_at)) {
        const auto of_job = [&](const json& night) {
            return number_at(night, "id") == number_at(job, "nightly");
        };
        if (std::any_of(nights.begin(), nights.end(), of_job)) parked.push_back(job);
    }
    return parked;
}

/// What waits, by project, purpose and machine class, with the reason.
json list_waiting_groups(const CommandContext& context) {
    const auto project = context.invocation.get("project");
    json waiting = json::array();
    const json queue = context.api.get("/api/v1/queue");
    for (const auto& group : array_at(queue, "items")) {
        const bool is_asked = project.empty() || text_at(group, "project") == project;
        if (is_asked && text_at(group, "state") == "queued") waiting.push_back(group);
    }
    return waiting;
}

/// Nights, jobs, suspicions, regressions, workers and troubles, as --json prints them.
json ask(const CommandContext& context) {
    const auto project = filters_of(context, {"project"});
    const auto with_state = [&](const char* state) {
        auto filters = project;
        filters["state"] = state;
        return filters;
    };
    const auto& api = context.api;
    const json nights = list_known(context, "/api/v1/nightlies", project, nights_looked_at);
    json open = json::array();
    for (const auto& one : api.list("/api/v1/regressions", project, max_lines)) {
        if (is_open_state(text_at(one, "state"))) open.push_back(one);
    }
    return {
        {"nightlies", nights},
        {"running", api.list("/api/v1/jobs", with_state("leased"), max_lines)},
        {"waiting", api.list("/api/v1/jobs", with_state("queued"), max_lines)},
        {"waiting_for", list_waiting_groups(context)},
        {"parked", list_parked(context, shown_nights(nights))},
        {"workers", api.list("/api/v1/workers", {}, max_lines)},
        {"allocations", api.list("/api/v1/allocations", {{"state", "pending"}}, max_lines)},
        {"without_a_turn", list_unserved(context, nights)},
        {"backfills", list_running_backfills(context, project, nights)},
        {"troubles", api.list("/api/v1/troubles", with_state("open"), max_lines)},
        {"open", std::move(open)}};
}

/// How long this project's last nights took: their median; nullopt: none has ended yet.
std::optional<std::int64_t> usual_duration(const json& nights, const std::string& project) {
    std::vector<std::int64_t> took;
    for (const auto& night : nights) {
        const bool counts = text_at(night, "project") == project &&
                            text_at(night, "state") == "done" && is_set(night, "ended_at_s") &&
                            !is_set(night, "beside");
        if (!counts || took.size() == nights_for_estimate) continue;
        took.push_back(number_at(night, "ended_at_s") - number_at(night, "created_at_s"));
    }
    if (took.empty()) return std::nullopt;
    std::sort(took.begin(), took.end());
    return took[took.size() / 2];
}

std::string estimate(const json& tonight, const json& night, std::int64_t now_s) {
    const std::int64_t so_far = now_s - number_at(night, "created_at_s");
    const auto usual = usual_duration(tonight.at("nightlies"), text_at(night, "project"));
    if (!usual) return "no earlier night to estimate from";
    if (so_far < *usual) {
        return fmt::format(
            "about {} left (nights take {})",
            text::duration(*usual - so_far),
            text::duration(*usual));
    }
    return fmt::format("longer than usual (nights take {})", text::duration(*usual));
}

std::string indented_id(const json& item) {
    return "  " + words_at(item, "id");
}

void print_nights(const CommandContext& context, const json& tonight) {
    auto& out = *context.world.out;
    const std::int64_t now_s = context.world.now_s();
    for (const auto& night : shown_nights(tonight.at("nightlies"))) {
        const std::string which = fmt::format(
            "{}, nightly of {} ({}){}",
            printable(text_at(night, "project")),
            printable(night_name(night)),
            printable(brief_at(night, "revision")),
            is_set(night, "beside") ? ", beside the nights" : "");
        const std::string state = printable(text_at(night, "state"));
        const auto withdrawn = withdrawn_words(array_at(night, "withdrawn"));
        const std::string shown = toned(state, tone_of(state), context.colours) +
                                  (withdrawn.empty() ? "" : ", " + printable(withdrawn));
        if (has_ended(night)) {
            const std::string message = printable(text_at(night, "message"));
            out << fmt::format(
                "{}: {}, ended {}{}\n",
                which,
                shown,
                text::ago(number_at(night, "ended_at_s"), now_s),
                message.empty() ? "" : ": " + message);
        } else {
            out << fmt::format(
                "{}: {} for {}, {}\n",
                which,
                shown,
                text::duration(now_s - number_at(night, "created_at_s")),
                estimate(tonight, night, now_s));
        }
    }
    if (tonight.at("nightlies").empty()) out << "No night yet.\n";
    for (const auto& backfill : tonight.at("backfills")) {
        out << fmt::format(
            "{}, backfill {}: {}, {}\n",
            printable(text_at(backfill, "project")),
            number_at(backfill, "id"),
            printable(text_at(backfill, "state")),
            printable(backfill_words(backfill)));
    }
}

void print_waiting(const CommandContext& context, const json& groups) {
    auto& out = *context.world.out;
    for (std::size_t i = 0; i < std::min(groups.size(), groups_shown); ++i) {
        const auto& group = groups[i];
        out << fmt::format(
            "  {} {} of {} for class {}, the oldest made {}: {}\n",
            number_at(group, "jobs"),
            printable(text_at(group, "purpose")),
            printable(text_at(group, "project")),
            printable(text_at(group, "machine_class")),
            text::ago(number_at(group, "oldest_at_s"), context.world.now_s()),
            printable(text_at(group, "why")));
    }
    if (groups.size() <= groups_shown) return;
    out << fmt::format(
        "  and {} more\n",
        text::counted(static_cast<std::int64_t>(groups.size() - groups_shown), "group"));
}

void print_jobs(const CommandContext& context, const json& tonight) {
    auto& out = *context.world.out;
    out << fmt::format("\nRuns: {}\n", tonight.at("running").empty() ? "nothing" : "");
    const auto made = [&](const json& job) {
        return text::ago(number_at(job, "created_at_s"), context.world.now_s());
    };
    if (!tonight.at("running").empty()) {
        const std::vector<ListColumn> columns{
            {"  JOB", indented_id},
            {"PURPOSE", "purpose"},
            {"WORKER", "worker"},
            {"MADE", made},
            {"SAYS", "progress"}};
        out << table_of(context, tonight.at("running"), columns);
    }
    std::map<std::string, int> purposes;
    for (const auto& job : tonight.at("waiting")) ++purposes[text_at(job, "purpose")];
    std::string waits;
    for (const auto& [purpose, count] : purposes) {
        waits += fmt::format("{}{} {}", waits.empty() ? "" : ", ", count, printable(purpose));
    }
    out << "Waits: " << (waits.empty() ? "nothing" : waits) << "\n";
    print_waiting(context, tonight.at("waiting_for"));
    if (tonight.at("parked").empty()) return;
    out << fmt::format(
        "{}: {} (all of them: vigil jobs --state parked)\n",
        toned("Parked, given up", Tone::bad, context.colours),
        tonight.at("parked").size());
    for (std::size_t i = 0; i < std::min(tonight.at("parked").size(), parked_shown); ++i) {
        const auto& job = tonight.at("parked")[i];
        out << fmt::format(
            "  job {} ({}) of night {} on {}: {}\n",
            number_at(job, "id"),
            printable(text_at(job, "purpose")),
            number_at(job, "nightly"),
            printable(text_at(job, "machine_class")),
            printable(text_at(job, "message")));
    }
}

void print_unserved(const CommandContext& context, const json& tonight) {
    if (tonight.at("without_a_turn").empty()) return;
    auto& out = *context.world.out;
    out << fmt::format(
        "Deferred (budget): {} (all of them: vigil suspicions --waiting)\n",
        tonight.at("without_a_turn").size());
    const std::vector<ListColumn> columns{
        {"  ID", indented_id},
        {"CHANGE", [](const json& one) { return text::percent(real_at(one, "change_ratio")); }},
        {"CHANCE", [](const json& one) { return fmt::format("{:.2g}", real_at(one, "chance")); }},
        {"WAITED", "waited"},
        {"SERIES", series_words}};
    json shown = json::array();
    for (const auto& one : tonight.at("without_a_turn")) {
        if (shown.size() < unserved_shown) shown.push_back(one);
    }
    out << table_of(context, shown, columns);
}

void print_open(const CommandContext& context, const json& tonight) {
    auto& out = *context.world.out;
    if (tonight.at("open").empty()) {
        out << "Open: " << toned("nothing", Tone::good, context.colours) << "\n";
        return;
    }
    out << "Open:\n";
    const auto culprit = [](const json& regression) {
        const auto known = brief_at(regression, "culprit");
        return known.empty() ? "-" : known;
    };
    const std::vector<ListColumn> columns{
        {"  ID", indented_id},
        {"STATE", "state"},
        {"CULPRIT", culprit},
        {"WHAT", regression_words}};
    out << table_of(context, tonight.at("open"), columns, "STATE");
}

void print_workers(const CommandContext& context, const json& tonight) {
    auto& out = *context.world.out;
    std::map<std::string, int> states;
    std::string absent;
    for (const auto& worker : tonight.at("workers")) {
        const bool seen = !is_set(worker, "unseen_s");
        const std::string state = printable(text_at(worker, "state"));
        ++states[seen || state == "quarantined" ? state : "not seen"];
        if (seen && state != "quarantined") continue;
        const std::string reason = printable(text_at(worker, "reason"));
        absent += fmt::format(
            "  {}: {}{}\n",
            printable(text_at(worker, "name")),
            printable(worker_words(worker)),
            reason.empty() ? "" : ": " + reason);
    }
    std::string words;
    for (const auto& [state, count] : states) {
        words += fmt::format(
            "{}{} {}",
            words.empty() ? "" : ", ",
            count,
            toned(state, tone_of(state), context.colours));
    }
    out << "Workers: " << (words.empty() ? "none yet" : words) << "\n" << absent;
}

/// Machines that a cluster was asked for and has not given yet.
void print_pending(const CommandContext& context, const json& tonight) {
    auto& out = *context.world.out;
    for (const auto& one : tonight.at("allocations")) {
        const std::string reason = printable(text_at(one, "reason"));
        out << fmt::format(
            "  pending: {} of class {}, requested {}{}\n",
            printable(text_at(one, "name")),
            printable(text_at(one, "machine_class")),
            text::ago(number_at(one, "created_at_s"), context.world.now_s()),
            reason.empty() ? "" : ": " + reason);
    }
}

void print_troubles(const CommandContext& context, const json& tonight) {
    if (tonight.at("troubles").empty()) return;
    auto& out = *context.world.out;
    out << toned("Troubles:", Tone::bad, context.colours) << "\n";
    for (const auto& trouble : tonight.at("troubles")) {
        out << fmt::format(
            "  {}, first seen {}: {}\n",
            printable(text_at(trouble, "kind")),
            text::ago(number_at(trouble, "since_s"), context.world.now_s()),
            printable(text_at(trouble, "message")));
    }
}

}  // namespace

ExitCode show_status(const CommandContext& context) {
    const json tonight = ask(context);
    const bool fails = context.invocation.has("exit-code") && !tonight.at("open").empty();
    if (context.json) {
        print_json(context, tonight);
    } else {
        print_nights(context, tonight);
        print_jobs(context, tonight);
        print_unserved(context, tonight);
        print_open(context, tonight);
        print_workers(context, tonight);
        print_pending(context, tonight);
        print_troubles(context, tonight);
    }
    return fails ? ExitCode::negative : ExitCode::ok;
}

}  // namespace vigil::cli
