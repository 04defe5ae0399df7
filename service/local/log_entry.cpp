#include "service/local/log_entry.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/text/lines.hpp"
#include "schema/wire/json.hpp"
#include "schema/wire/object_reader.hpp"

namespace vigil::local {

namespace {

using nlohmann::json;
using wire::ObjectReader;

constexpr int most_commits = 1'000'000;
constexpr wire::IntegerRange count_range{0, most_commits};
constexpr wire::NumberRange seconds_range{0, 1e12};
constexpr wire::NumberRange busy_range{0, 1e6};

json suspect_json(const history::Commit& commit, bool touches) {
    json suspect = {
        {"revision", commit.revision.str()},
        {"parent", commit.parent.str()},
        {"merge", commit.merge},
        {"subject", commit.subject},
        {"author", commit.author},
        {"at_s", commit.authored_at_s},
        {"touches", touches}};
    if (commit.commits > 1) suspect["commits"] = commit.commits;
    return suspect;
}

struct Writer {
    json operator()(const Started& e) const {
        json suspects = json::array();
        for (std::size_t i = 0; i < e.suspects.size(); ++i) {
            suspects.push_back(suspect_json(e.suspects[i], e.touches[i]));
        }
        json value{
            {"event", "started"},
            {"version", log_version},
            {"planner", e.planner},
            {"order", to_json(e.order)},
            {"suspects", std::move(suspects)}};
        if (e.base != e.order.good && !e.base.empty()) value["base"] = e.base.str();
        if (e.relation != history::Relation::on_line) value["relation"] = to_string(e.relation);
        if (!e.good_parent.empty()) value["good_parent"] = e.good_parent.str();
        if (e.inside) {
            value["inside"] = {{"merge", e.inside->merge.str()}, {"parent", e.inside->parent}};
            const auto& submodule = e.inside->submodule;
            if (!submodule.empty()) value["inside"]["submodule"] = submodule;
        }
        return value;
    }
    json operator()(const Resumed& e) const {
        return {
            {"event", "resumed"},
            {"at_s", e.at_s},
            {"jobs", e.jobs},
            {"runs", e.spending.runs},
            {"builds", e.spending.builds},
            {"seconds", e.spending.seconds},
            {"further", e.spending.further}};
    }
    json operator()(const ReadAs& e) const {
        json value = to_json(e);
        value["event"] = "read_as";
        return value;
    }
    json operator()(const CaseChosen& e) const {
        json value = to_json(e);
        value["event"] = "case";
        return value;
    }
    json operator()(const ProbeRequested& e) const {
        return {
            {"event", "asked"},
            {"probe", e.number},
            {"verify", e.request.purpose == search::ProbePurpose::verify},
            {"commits", e.request.commits},
            {"why", e.request.why}};
    }
    json operator()(const BuildBegun& e) const {
        return {{"event", "build"}, {"probe", e.probe}, {"commit", e.commit}};
    }
    json operator()(const BuildEnded& e) const {
        return {
            {"event", "build_ended"},
            {"probe", e.probe},
            {"commit", e.commit},
            {"built", e.built},
            {"cached", e.cached},
            {"digest", e.digest},
            {"seconds", e.seconds},
            {"handling_seconds", e.handling_seconds},
            {"message", e.message}};
    }
    json operator()(const RunBegun& e) const {
        return {{"event", "run"}, {"probe", e.probe}, {"position", e.position}};
    }
    json operator()(const RunEnded& e) const {
        json value{
            {"event", "run_ended"},
            {"probe", e.probe},
            {"position", e.position},
            {"seconds", e.seconds},
            {"message", e.message}};
        if (e.value) value["value"] = *e.value;
        if (e.group >= 0) value["group"] = e.group;
        if (e.busy > 0) value["busy"] = e.busy;
        return value;
    }
    json operator()(const Interference& e) const {
        return {
            {"event", "alone"},
            {"good", e.alone.good},
            {"bad", e.alone.bad},
            {"good_together", e.together.good},
            {"bad_together", e.together.bad},
            {"slowdown", e.slowdown},
            {"at_once", e.at_once},
            {"seconds", e.seconds}};
    }
    json operator()(const MergeSeen& e) const {
        json brought = json::array();
        for (const auto& revision : e.brought) brought.push_back({{"revision", revision.str()}});
        return {
            {"event", "merge"},
            {"commit", e.commit},
            {"brought", std::move(brought)},
            {"why", e.why}};
    }
    json operator()(const PinsMoved& e) const {
        json value = moves_json(e.moves);
        value.update({{"event", "moved"}, {"commit", e.commit}});
        return value;
    }
    json operator()(const Paused& e) const {
        return {{"event", "paused"}, {"at_s", e.at_s}, {"why", e.why}};
    }
    json operator()(const SearchEnded& e) const {
        return {
            {"event", "ended"},
            {"ending", to_string(e.ending)},
            {"first", e.first},
            {"last", e.last}};
    }
};

Started parse_started(ObjectReader& reader) {
    Started e;
    if (reader.integer("version") != log_version) {
        wire::refuse(reader.path("version"), "is of a log that this program does not know");
    }
    e.planner = reader.small("planner");
    const auto order = reader.item("order");
    e.order = parse_order(*order.value, order.path);
    e.base = reader.has("base") ? reader.revision("base") : e.order.good;
    e.relation = reader.choice_or("relation", history::Relation::on_line);
    if (reader.has("good_parent")) e.good_parent = reader.revision("good_parent");
    if (auto inside = reader.find_object("inside")) {
        const auto merge = inside->revision("merge");
        e.inside = Inside{merge, inside->small("parent", {2, 1000})};
        e.inside->submodule = inside->text_or("submodule", "");
        inside->done();
    }
    for (const auto& item : reader.items("suspects")) {
        ObjectReader suspect(item);
        history::Commit commit;
        commit.revision = suspect.revision("revision");
        commit.parent = suspect.revision("parent");
        commit.merge = suspect.flag("merge");
        commit.subject = suspect.text("subject");
        commit.author = suspect.text("author");
        commit.authored_at_s = suspect.integer("at_s");
        e.touches.push_back(suspect.flag("touches"));
        commit.commits = suspect.small_or("commits", 1, {1, most_commits});
        suspect.done();
        e.suspects.push_back(std::move(commit));
    }
    if (e.suspects.empty()) wire::refuse(reader.path("suspects"), "is empty");
    return e;
}

Resumed parse_resumed(ObjectReader& reader) {
    Resumed e;
    e.at_s = reader.integer("at_s");
    e.jobs = reader.small("jobs", {1, 256});
    e.spending.runs = reader.small("runs", count_range);
    e.spending.builds = reader.small("builds", count_range);
    e.spending.seconds = reader.integer("seconds", wire::not_negative);
    e.spending.further = reader.number_or("further", e.spending.further, {0, 1e9});
    return e;
}

ProbeRequested parse_requested(ObjectReader& reader) {
    ProbeRequested e;
    e.number = reader.small("probe", count_range);
    e.request.purpose =
        reader.flag("verify") ? search::ProbePurpose::verify : search::ProbePurpose::search;
    for (const auto& item : reader.items("commits")) {
        e.request.commits.push_back(static_cast<int>(wire::integer_of(item, count_range)));
    }
    e.request.series = {0};
    e.request.why = reader.text("why");
    return e;
}

BuildEnded parse_build_ended(ObjectReader& reader) {
    BuildEnded e;
    e.probe = reader.small("probe", count_range);
    e.commit = reader.small("commit", count_range);
    e.built = reader.flag("built");
    e.cached = reader.flag("cached");
    e.digest = reader.text("digest");
    e.seconds = reader.number("seconds", seconds_range);
    e.message = reader.text("message");
    e.handling_seconds = reader.number_or("handling_seconds", 0, seconds_range);
    return e;
}

RunEnded parse_run_ended(ObjectReader& reader) {
    RunEnded e;
    e.probe = reader.small("probe", count_range);
    e.position = reader.small("position", count_range);
    e.seconds = reader.number("seconds", seconds_range);
    e.message = reader.text("message");
    if (reader.has("value")) e.value = reader.number("value", {0, 1e300});
    if (!e.message.empty()) e.value.reset();  // older logs tell a failed run as 0
    e.group = reader.small_or("group", -1, count_range);
    e.busy = reader.number_or("busy", 0, busy_range);
    return e;
}

std::vector<double> parse_values(ObjectReader& reader, const char* name) {
    std::vector<double> values;
    for (const auto& item : reader.items(name)) values.push_back(wire::number_of(item));
    return values;
}

Interference parse_alone(ObjectReader& reader) {
    Interference e;
    e.alone = {parse_values(reader, "good"), parse_values(reader, "bad")};
    e.together = {parse_values(reader, "good_together"), parse_values(reader, "bad_together")};
    e.slowdown = reader.number("slowdown", {-1, 1e9});
    e.at_once = reader.small("at_once", {1, most_at_once});
    e.seconds = reader.number("seconds", seconds_range);
    return e;
}

MergeSeen parse_merge(ObjectReader& reader) {
    MergeSeen e;
    e.commit = reader.small("commit", count_range);
    for (const auto& item : reader.items("brought")) {
        ObjectReader one(item);
        e.brought.push_back(one.revision("revision"));
        one.done();
    }
    e.why = reader.text("why");
    return e;
}

PinsMoved parse_moved(ObjectReader& reader) {
    PinsMoved e;
    e.commit = reader.small("commit", count_range);
    e.moves.only = reader.flag("only");
    for (const auto& item : reader.items("pins")) {
        ObjectReader one(item);
        history::Pin pin;
        pin.path = one.text("path");
        pin.line = one.small("line", {0, 1'000'000'000});
        pin.before = one.text("before");
        pin.after = one.text("after");
        one.done();
        e.moves.pins.push_back(std::move(pin));
    }
    return e;
}

LogEntry parse_event(const std::string& event, ObjectReader& reader) {
    if (event == "started") return parse_started(reader);
    if (event == "resumed") return parse_resumed(reader);
    if (event == "read_as") return parse_read_as(reader);
    if (event == "case") return parse_case_chosen(reader);
    if (event == "asked") return parse_requested(reader);
    if (event == "build") {
        const int probe = reader.small("probe", count_range);
        return BuildBegun{probe, reader.small("commit", count_range)};
    }
    if (event == "build_ended") return parse_build_ended(reader);
    if (event == "run") {
        const int probe = reader.small("probe", count_range);
        return RunBegun{probe, reader.small("position", count_range)};
    }
    if (event == "run_ended") return parse_run_ended(reader);
    if (event == "alone") return parse_alone(reader);
    if (event == "moved") return parse_moved(reader);
    if (event == "merge") return parse_merge(reader);
    if (event == "paused") {
        const auto at_s = reader.integer("at_s");
        return Paused{at_s, reader.text("why")};
    }
    if (event == "ended") {
        SearchEnded e;
        e.ending = reader.choice<search::Ending>("ending");
        e.first = reader.small("first", count_range);
        e.last = reader.small("last", count_range);
        return e;
    }
    wire::refuse(reader.path("event"), "is none that this program knows");
}

}  // namespace

std::string inside_words(const Inside& inside) {
    if (inside.submodule.empty()) return "the merge " + inside.merge.brief();
    return "the commit " + inside.merge.brief() + ", which moves the submodule " +
           text::one_line(inside.submodule, 200);
}

json moves_json(const history::PinMoves& moves) {
    json pins = json::array();
    for (const auto& pin : moves.pins) {
        pins.push_back(
            {{"path", pin.path}, {"line", pin.line}, {"before", pin.before}, {"after", pin.after}});
    }
    return {{"only", moves.only}, {"pins", std::move(pins)}};
}

std::string write_entry(const LogEntry& entry) {
    return wire::write_json(std::visit(Writer{}, entry));
}

LogEntry parse_entry(std::string_view line, const std::string& where) {
    const json value = wire::parse_json(line, where);
    ObjectReader reader(value, where);
    const LogEntry entry = parse_event(reader.text("event"), reader);
    reader.done();
    return entry;
}

std::vector<LogEntry> parse_log(
    std::string_view text, const std::string& name, std::size_t& whole_bytes) {
    std::vector<LogEntry> entries;
    whole_bytes = 0;
    while (true) {
        const auto end = text.find('\n', whole_bytes);
        if (end == text.npos) return entries;
        const auto line = text.substr(whole_bytes, end - whole_bytes);
        entries.push_back(parse_entry(line, fmt::format("{}, line {}", name, entries.size() + 1)));
        whole_bytes = end + 1;
    }
}

std::vector<std::vector<LogEntry>> searches_of(const std::vector<LogEntry>& entries) {
    std::vector<std::vector<LogEntry>> searches;
    for (const LogEntry& entry : entries) {
        if (searches.empty() || std::holds_alternative<Started>(entry)) searches.emplace_back();
        searches.back().push_back(entry);
    }
    return searches;
}

}  // namespace vigil::local
