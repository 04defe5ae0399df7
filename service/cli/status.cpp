#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/text/numbers.hpp"
#include "service/cli/actions.hpp"
#include "service/cli/display.hpp"

namespace vigil::cli {

namespace {

using nlohmann::json;

constexpr std::int64_t nights_looked_at = 50;
constexpr std::size_t nights_for_estimate = 5;
constexpr std::size_t unserved_shown = 5;
constexpr std::int64_t parked_looked_at = 500;
constexpr std::size_t parked_shown = 5;

bool has_ended(const json& night) {
    const std::string state = text_at(night, "state");
    return state == "done" || state == "failed";
}

struct Tonight {
    json nights;    ///< newest first
    json running;   ///< leased jobs
    json waiting;   ///< queued jobs
    json parked;    ///< given up, of the nights that are shown
    json unserved;  ///< suspicions of the newest judged nights that had no turn, most likely first
    json regressions;  ///< open ones
    json workers;
    json troubles;  ///< open ones, newest first
};

/// Each project's newest night that was judged.
std::vector<std::int64_t> judged_nights(const json& nights) {
    std::vector<std::int64_t> judged;
    std::map<std::string, bool> seen;
    for (const auto& night : nights) {
        const std::string state = text_at(night, "state");
        if (state == "measuring" || state == "failed" || is_set(night, "beside")) continue;
        if (seen.emplace(text_at(night, "project"), true).second) {
            judged.push_back(number_at(night, "id"));
        }
    }
    return judged;
}

/// No session measures it: it waits for its turn tonight, or goes on with the next night.
json list_unserved(const Session& session, const json& nights) {
    std::vector<json> unserved;
    for (const auto night : judged_nights(nights)) {
        const std::map<std::string, std::string> filters{{"nightly", std::to_string(night)}};
        for (const auto& one : session.api.list("/api/v1/suspicions", filters, max_lines)) {
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
    std::map<std::string, bool> seen;
    for (const auto& night : nights) {
        const bool newest =
            !is_set(night, "beside") && seen.emplace(text_at(night, "project"), true).second;
        if (newest || !has_ended(night)) shown.push_back(night);
    }
    return shown;
}

/// Of a night that is shown; the service will not make it again by itself.
json list_parked(const Session& session, const json& nights) {
    json parked = json::array();
    auto filters = filters_of(session, {"project"});
    filters["state"] = "parked";
    for (const auto& job : session.api.list("/api/v1/jobs", filters, parked_looked_at)) {
        const auto of_job = [&](const json& night) {
            return number_at(night, "id") == number_at(job, "nightly");
        };
        if (std::any_of(nights.begin(), nights.end(), of_job)) parked.push_back(job);
    }
    return parked;
}

Tonight ask(const Session& session) {
    const auto project = filters_of(session, {"project"});
    const auto with_state = [&](const char* state) {
        auto filters = project;
        filters["state"] = state;
        return filters;
    };
    Tonight tonight;
    tonight.nights = list_known(session, "/api/v1/nightlies", project, nights_looked_at);
    tonight.running = session.api.list("/api/v1/jobs", with_state("leased"), max_lines);
    tonight.waiting = session.api.list("/api/v1/jobs", with_state("queued"), max_lines);
    tonight.parked = list_parked(session, shown_nights(tonight.nights));
    tonight.workers = session.api.list("/api/v1/workers", {}, max_lines);
    tonight.unserved = list_unserved(session, tonight.nights);
    tonight.troubles = session.api.list("/api/v1/troubles", with_state("open"), max_lines);
    tonight.regressions = json::array();
    for (const auto& one : session.api.list("/api/v1/regressions", project, max_lines)) {
        if (is_open_state(text_at(one, "state"))) tonight.regressions.push_back(one);
    }
    return tonight;
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

std::string estimate(const Tonight& tonight, const json& night, std::int64_t now_s) {
    const std::int64_t so_far = now_s - number_at(night, "created_at_s");
    const auto usual = usual_duration(tonight.nights, text_at(night, "project"));
    if (!usual) return "no earlier night to estimate from";
    if (so_far < *usual) {
        return fmt::format(
            "about {} left (nights take {})",
            text::duration(*usual - so_far),
            text::duration(*usual));
    }
    return fmt::format("longer than usual (nights take {})", text::duration(*usual));
}

void print_nights(const Session& session, const Tonight& tonight) {
    auto& out = *session.world.out;
    const std::int64_t now_s = session.world.now_s();
    for (const auto& night : shown_nights(tonight.nights)) {
        const std::string which = fmt::format(
            "{}, nightly of {} ({}){}",
            printable(text_at(night, "project")),
            printable(night_name(night)),
            printable(text_at(night, "revision").substr(0, 10)),
            is_set(night, "beside") ? ", beside the nights" : "");
        const std::string state = printable(text_at(night, "state"));
        const auto withdrawn = withdrawn_words(array_at(night, "withdrawn"));
        const std::string shown = toned(state, tone_of(state), session.colours) +
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
    if (tonight.nights.empty()) out << "No night yet.\n";
}

void print_jobs(const Session& session, const Tonight& tonight) {
    auto& out = *session.world.out;
    out << fmt::format("\nRuns: {}\n", tonight.running.empty() ? "nothing" : "");
    Table table({"  JOB", "PURPOSE", "WORKER", "MADE", "SAYS"});
    for (const auto& job : tonight.running) {
        table.add(
            {"  " + std::to_string(number_at(job, "id")),
             text_at(job, "purpose"),
             text_at(job, "worker"),
             text::ago(number_at(job, "created_at_s"), session.world.now_s()),
             text_at(job, "progress")});
    }
    if (!table.empty()) out << table.text(session.world.width, session.colours);
    std::map<std::string, int> purposes;
    for (const auto& job : tonight.waiting) ++purposes[text_at(job, "purpose")];
    std::string waits;
    for (const auto& [purpose, count] : purposes) {
        waits += fmt::format("{}{} {}", waits.empty() ? "" : ", ", count, printable(purpose));
    }
    out << "Waits: " << (waits.empty() ? "nothing" : waits) << "\n";
    if (tonight.parked.empty()) return;
    out << fmt::format(
        "{}: {} (all of them: vigil jobs --state parked)\n",
        toned("Parked, given up", Tone::bad, session.colours),
        tonight.parked.size());
    for (std::size_t i = 0; i < std::min(tonight.parked.size(), parked_shown); ++i) {
        const auto& job = tonight.parked[i];
        out << fmt::format(
            "  job {} ({}) of night {} on {}: {}\n",
            number_at(job, "id"),
            printable(text_at(job, "purpose")),
            number_at(job, "nightly"),
            printable(text_at(job, "machine_class")),
            printable(text_at(job, "message")));
    }
}

void print_unserved(const Session& session, const Tonight& tonight) {
    if (tonight.unserved.empty()) return;
    auto& out = *session.world.out;
    out << fmt::format(
        "Without a turn to be measured again: {} (all of them: vigil suspicions --waiting)\n",
        tonight.unserved.size());
    Table table({"  ID", "CHANGE", "CHANCE", "WAITED", "SERIES"});
    const std::size_t shown = std::min(tonight.unserved.size(), unserved_shown);
    for (std::size_t i = 0; i < shown; ++i) {
        const auto& one = tonight.unserved[i];
        table.add(
            {"  " + std::to_string(number_at(one, "id")),
             text::percent(real_at(one, "change_ratio")),
             fmt::format("{:.2g}", real_at(one, "chance")),
             std::to_string(number_at(one, "waited")),
             fmt::format(
                 "{} ({}) on {}, {}",
                 text_at(one, "benchmark"),
                 text_at(one, "variant"),
                 text_at(one, "machine_class"),
                 text_at(one, "metric"))});
    }
    out << table.text(session.world.width, session.colours);
}

void print_open(const Session& session, const Tonight& tonight) {
    auto& out = *session.world.out;
    if (tonight.regressions.empty()) {
        out << "Open: " << toned("nothing", Tone::good, session.colours) << "\n";
        return;
    }
    out << "Open:\n";
    Table table({"  ID", "STATE", "CULPRIT", "WHAT"});
    for (const auto& regression : tonight.regressions) {
        const std::string culprit = text_at(regression, "culprit").substr(0, 10);
        table.add(
            {"  " + std::to_string(number_at(regression, "id")),
             text_at(regression, "state"),
             culprit.empty() ? "-" : culprit,
             regression_words(regression)});
    }
    out << table.text(session.world.width, session.colours, 1);
}

void print_workers(const Session& session, const Tonight& tonight) {
    auto& out = *session.world.out;
    std::map<std::string, int> states;
    std::string absent;
    for (const auto& worker : tonight.workers) {
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
            toned(state, tone_of(state), session.colours));
    }
    out << "Workers: " << (words.empty() ? "none has come yet" : words) << "\n" << absent;
}

void print_troubles(const Session& session, const Tonight& tonight) {
    if (tonight.troubles.empty()) return;
    auto& out = *session.world.out;
    out << toned("Wrong:", Tone::bad, session.colours) << "\n";
    for (const auto& trouble : tonight.troubles) {
        out << fmt::format(
            "  {}, first seen {}: {}\n",
            printable(text_at(trouble, "kind")),
            text::ago(number_at(trouble, "since_s"), session.world.now_s()),
            printable(text_at(trouble, "message")));
    }
}

}  // namespace

ExitCode show_status(const Session& session) {
    const Tonight tonight = ask(session);
    const bool fails = session.invocation.has("exit-code") && !tonight.regressions.empty();
    if (session.json) {
        print_json(
            session,
            {{"nightlies", tonight.nights},
             {"running", tonight.running},
             {"waiting", tonight.waiting},
             {"parked", tonight.parked},
             {"without_a_turn", tonight.unserved},
             {"open", tonight.regressions},
             {"workers", tonight.workers},
             {"troubles", tonight.troubles}});
    } else {
        print_nights(session, tonight);
        print_jobs(session, tonight);
        print_unserved(session, tonight);
        print_open(session, tonight);
        print_workers(session, tonight);
        print_troubles(session, tonight);
    }
    return fails ? ExitCode::negative : ExitCode::ok;
}

}  // namespace vigil::cli
