#include "service/cli/ask/watch.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/http/event_reader.hpp"
#include "schema/http/target.hpp"
#include "schema/model/told_events.hpp"
#include "schema/text/numbers.hpp"
#include "schema/wire/json.hpp"
#include "service/cli/ask/reply.hpp"
#include "service/cli/common/display.hpp"

namespace vigil::cli {

namespace {

using nlohmann::json;

constexpr int pause_s = 5;
constexpr const char* list_path = "/api/v1/events";

/// Follows the events of a project, or of all, each told once.
class Watch {
  public:
    explicit Watch(const CommandContext& context) : context_(context) {
        const auto& arguments = context.invocation.arguments;
        if (!arguments.empty()) filters_["project"] = arguments.front();
        const auto newest = context.api.list(list_path, {}, 1);
        last_ = newest.empty() ? 0 : number_at(newest.front(), "id");
        if (!filters_.empty())
            context.api.list(list_path, filters_, 1);  // is there such a project?
        last_ = context.invocation.number("since", last_);
    }

    ExitCode run() {
        while (!ended_) {
            const auto why = listen();
            if (!ended_ && !why.empty()) poll();
            if (ended_) break;
            if (!why.empty() && why != said_) *context_.world.err << "vigil: " << why << "\n";
            said_ = why;
            context_.world.pause_s(pause_s);
        }
        return *ended_;
    }

  private:
    /// Listens until the stream ends. @return  why there was none; empty: there was one
    std::string listen() {
        http::EventReader reader;
        const auto reply = context_.api.follow(
            list_path + std::string("/stream") + http::query_string(filters_),
            std::to_string(last_),
            [&](std::string_view bytes) {
                for (const auto& event : reader.feed(bytes)) take(event.data);
                return !ended_.has_value();
            });
        if (reply.empty()) return "";
        return reply + "; asking every " + std::to_string(pause_s) + " s instead";
    }

    void poll() {
        auto filters = filters_;
        filters["after"] = std::to_string(last_);
        auto events = context_.api.list(list_path, filters, max_lines);
        std::reverse(events.begin(), events.end());
        for (const auto& event : events) tell(event);
    }

    void take(const std::string& data) {
        const auto event = wire::parse_json(data, "an event of the stream");
        if (event.is_object()) tell(event);
    }

    void tell(const json& event) {
        const auto id = number_at(event, "id");
        if (ended_ || id <= last_) return;
        last_ = id;
        const auto kind = text_at(event, "kind");
        if (is_reported(kind) || context_.invocation.has("all")) print(event, kind);
        if (!context_.invocation.has("until-done")) return;
        if (kind == "nightly.done") ended_ = ExitCode::ok;
        if (kind == "nightly.failed") ended_ = ExitCode::negative;
    }

    void print(const json& event, const std::string& kind) {
        auto& out = *context_.world.out;
        if (context_.json) {
            out << event.dump(-1, ' ', true, json::error_handler_t::replace) << "\n";
        } else {
            const auto project = text_at(event, "project");
            out << fmt::format(
                "{}  {}{}{}  {}  {}\n",
                text::utc(number_at(event, "at_s")),
                printable(project),
                project.empty() ? "" : "  ",
                printable(kind),
                printable(text_at(event, "subject")),
                printable(text_at(event, "message")));
        }
        out.flush();
    }

    const CommandContext& context_;
    std::map<std::string, std::string> filters_;
    std::int64_t last_ = 0;
    std::string said_;
    std::optional<ExitCode> ended_;
};

struct BadnessWords {
    std::string words;
    Tone tone;
};

BadnessWords words_of(const std::string& badness) {
    if (badness == "failing") return {"failing", Tone::bad};
    if (badness == "will_fail") return {"will fail", Tone::bad};
    return {"note", Tone::plain};
}

void print_finding(const CommandContext& context, const json& finding) {
    const auto [words, tone] = words_of(text_at(finding, "badness"));
    const auto since = is_set(finding, "since_s")
                           ? ", since " + text::utc(number_at(finding, "since_s")) + " UTC"
                           : std::string();
    *context.world.out << fmt::format(
        "{}: {} of {}{}\n  {}\n  What to do: {}\n",
        toned(words, tone, context.colours),
        printable(text_at(finding, "kind")),
        printable(text_at(finding, "subject")),
        since,
        printable(text_at(finding, "message")),
        printable(text_at(finding, "remedy")));
}

void print_all(const CommandContext& context, const json& reply) {
    const auto& findings = array_at(reply, "findings");
    for (const auto& finding : findings) print_finding(context, finding);
    std::map<std::string, int> counts;
    for (const auto& finding : findings) ++counts[text_at(finding, "badness")];
    *context.world.out << fmt::format(
        "{}{} failing, {} will fail, {}. Checked: {} of {} tables, {} of {} parts of the content "
        "store.\n",
        findings.empty() ? "Healthy: " : "\n",
        counts["failing"],
        counts["will_fail"],
        text::counted(counts["note"], "note"),
        number_at(reply, "tables_checked"),
        number_at(reply, "tables"),
        number_at(reply, "content_parts_checked"),
        number_at(reply, "content_parts"));
}

ExitCode show_findings(const CommandContext& context) {
    const json reply = context.api.get("/api/v1/doctor");
    context.json ? void(print_json(context, reply)) : print_all(context, reply);
    return flag_at(reply, "healthy") ? ExitCode::ok : ExitCode::negative;
}

}  // namespace

ExitCode watch_events(const CommandContext& context) {
    return Watch(context).run();
}

CommandSpec doctor_command() {
    return {
        "doctor",
        show_findings,
        {},
        "what is stuck, lost, inconsistent or about to be, and what to do",
        {},
        {"vigil doctor", "vigil doctor --json"},
        "It reads the open troubles, leases, messages, workers, backups, the clock, and as much "
        "of\n"
        "the ledger and the content store as three seconds allow, another part each time.\n"
        "Ends with: 0 nothing needs a person; 1 something does; 3 no answer; 4 refused.\n"};
}

}  // namespace vigil::cli
