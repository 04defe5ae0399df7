#include "service/api/results/sent_results.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/harness/collector.hpp"
#include "schema/harness/read.hpp"
#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "schema/text/read_budget.hpp"
#include "schema/text/times.hpp"
#include "schema/wire/json.hpp"
#include "schema/wire/object_reader.hpp"
#include "service/api/common/listing.hpp"
#include "service/api/results/sent_reading.hpp"
#include "service/config/text_rules.hpp"
#include "service/store/nights/nightlies.hpp"

namespace vigil::service {

namespace {

using harness::Report;
using nlohmann::json;

constexpr std::int64_t early_s = 600;  // clocks differ
constexpr std::size_t max_sent_nights = 20'000;
constexpr std::size_t max_version_bytes = 100;

[[noreturn]] void refuse(const std::string& what, const std::string& why) {
    throw Error(Errc::invalid_argument, what + ": " + why);
}

/// What is said of a report beside it; each may be empty.
struct Said {
    std::string where = {};  ///< "" of the query, "nights[3]." of the body
    std::string revision = {}, version = {}, measured_at = {};
    std::string machine_class = {}, machine = {}, format = {}, file_name = {};
    std::map<std::string, std::string> environment = {};
    bool ignores_failure = false;

    std::string place(const char* name) const { return where + name; }
};

std::string first_of(std::string a, std::string b) {
    return a.empty() ? std::move(b) : std::move(a);
}

std::int64_t time_of(const Said& said, const Report& report, std::int64_t now_s) {
    auto time_s = report.time_s.value_or(now_s);
    if (!said.measured_at.empty()) {
        const auto told = text::parse_time(said.measured_at);
        if (!told) {
            refuse(said.place("measured_at"), "it must be a time like 2026-11-21T04:05:06Z");
        }
        time_s = *told;
    }
    if (time_s > now_s + early_s) {
        refuse(said.place("measured_at"), "it lies in the future; nights come in their order");
    }
    if (time_s < first_night_s) refuse(said.place("measured_at"), "it lies before the year 2000");
    return time_s;
}

Revision revision_of(const Said& said, const Report& report) {
    const auto revision = first_of(said.revision, report.revision);
    if (revision.empty()) {
        refuse(
            said.place("revision"),
            "is missing, and the file does not say it; give the full hash of the commit that was "
            "measured");
    }
    try {
        return Revision(revision);
    } catch (const Error& error) {
        refuse(said.place("revision"), error.what());
    }
}

std::string class_of(const Said& said, const Report& report) {
    const auto name = first_of(said.machine_class, first_of(said.machine, report.machine));
    if (name.empty()) {
        refuse(
            said.place("machine_class"),
            "is missing, and the file names no machine; name the machines whose numbers compare");
    }
    if (const auto problem = name_problem(name); !problem.empty()) {
        refuse(said.place("machine_class"), "\"" + text::one_line(name, 80) + "\" " + problem);
    }
    return name;
}

Digest digest_of(const SentNight& night) {
    Fingerprinter all;
    all.add(night.revision.str());
    all.add(night.version);
    all.add(night.machine_class);
    all.add(night.facts);
    for (const auto& reading : night.readings) all.add(reading);
    return all.finish();
}

SentNight sent_night(const Said& said, Report&& report, std::int64_t now_s) {
    SentNight night;
    night.revision = revision_of(said, report);
    night.version = said.version.empty() ? night.revision.brief() : said.version;
    if (night.version.size() > max_version_bytes ||
        night.version != text::one_line(night.version)) {
        refuse(said.place("version"), "it must be one line of at most 100 bytes");
    }
    night.time_s = time_of(said, report, now_s);
    night.machine_class = class_of(said, report);
    add_facts(night.facts, report.environment);
    add_facts(night.facts, said.environment);
    if (report.readings.size() > std::size_t{max_sent_series}) {
        refuse("the body", "one night has more readings than a project may have series");
    }
    const auto machine = first_of(said.machine, report.machine);
    if (!machine.empty()) add_fact(night.facts, "machine", machine);
    night.readings = sent_readings(std::move(report.readings));
    night.left_out = std::move(report.left_out);
    night.left_out_count = report.left_out_count;
    night.digest = digest_of(night);
    // Parts hold whole benchmarks: what a failure is a failure of is read from what ran with it.
    if (night.readings.size() > readings_at_once) {
        std::ranges::stable_sort(night.readings, {}, &SentReading::benchmark);
    }
    return night;
}

void check_count(std::size_t nights) {
    if (nights <= max_sent_nights) return;
    refuse("the body", fmt::format("more than {} nights; send them in parts", max_sent_nights));
}

void read_file(
    const Said& said,
    std::string_view file,
    const std::string& called,
    std::int64_t now_s,
    text::ReadBudget& budget,
    std::vector<SentNight>& nights) {
    auto reports = harness::read_reports(
        file,
        called,
        {.format = format_named(said.format, said.place("format")),
         .file_name = said.file_name,
         .takes_nothing = true,
         .most_reports = max_sent_nights,
         .budget = &budget});
    std::set<std::string> revisions;
    for (const auto& report : reports) {
        if (!report.revision.empty()) revisions.insert(report.revision);
    }
    if (revisions.size() > 1 && !(said.revision.empty() && said.version.empty())) {
        refuse(
            said.place(said.revision.empty() ? "version" : "revision"),
            fmt::format("the file holds {} revisions of its own", revisions.size()));
    }
    for (auto& report : reports) {
        if (report.readings.empty() && reports.size() > 1) continue;
        if (said.ignores_failure) take_failed(report);
        nights.push_back(sent_night(said, std::move(report), now_s));
        check_count(nights.size());
    }
}

/// The nights of a body that holds several. A file that cannot be taken keeps no other one out.
class ManyNights {
  public:
    /// @param query  what it says of all of them
    ManyNights(SentResults& sent, const Said& query, std::int64_t now_s, text::ReadBudget& budget)
        : sent_(sent), query_(query), now_s_(now_s), budget_(budget) {}

    void read_lines(std::string_view body) {
        for (int number = 1; !body.empty(); ++number) {
            const auto line = body.substr(0, body.find('\n'));
            body.remove_prefix(std::min(line.size() + 1, body.size()));
            if (line.find_first_not_of(" \t\r") == line.npos) continue;
            const auto what = fmt::format("line {}", number);
            const auto entry = parsed(line, what);
            read_entry({&entry, what});
        }
    }

    /// The nights of an object that holds nothing else. @return  whether it is one
    bool read_object(std::string_view body) {
        constexpr std::size_t looked_at = 4096;
        const auto begin = body.substr(0, looked_at);
        const auto first = begin.find_first_not_of(" \t\r\n");
        if (first == begin.npos || begin[first] != '{') return false;
        const auto key = begin.find_first_not_of(" \t\r\n", first + 1);
        if (key == begin.npos || !begin.substr(key).starts_with("\"nights\"")) return false;
        const auto whole = parsed(body, "the body");
        wire::ObjectReader reader(whole, "body");
        for (const auto& entry : reader.items("nights", max_sent_nights)) read_entry(entry);
        reader.done();
        return true;
    }

  private:
    json parsed(std::string_view text, const std::string& what) {
        return wire::parse_json(
            text, what, {.max_bytes = harness::max_file_bytes, .budget = &budget_});
    }

    void read_entry(const wire::Item& entry) {
        wire::ObjectReader reader(entry);
        Said said{.where = reader.path() + "."};
        said.ignores_failure = query_.ignores_failure;
        said.revision = reader.text_or("revision", "", 64);
        said.version = reader.text_or("version", "", max_version_bytes);
        said.measured_at = reader.text_or("measured_at", "", 64);
        said.machine_class = reader.text_or("machine_class", "", 64);
        said.machine = reader.text_or("machine", "", max_fact_bytes);
        said.format = reader.text_or("format", "", 64);
        said.file_name = text::one_line(reader.text_or("file_name", "", 4096), max_fact_bytes);
        said.environment = reader.text_map("environment", max_facts);
        const auto report = reader.item("report");
        reader.done();
        const auto text =
            report.value->is_string() ? report.value->get<std::string>() : report.value->dump();
        const auto called = said.file_name.empty() ? report.path : said.file_name;
        std::vector<SentNight> nights;
        try {
            budget_.make(text.capacity());
            read_file(said, text, called, now_s_, budget_, nights);
        } catch (const text::BudgetError&) {
            throw;
        } catch (const Error& error) {
            sent_.left_out.push_back({called, error.what()});
            return;
        }
        std::ranges::move(nights, std::back_inserter(sent_.nights));
        check_count(sent_.nights.size());
    }

    SentResults& sent_;
    const Said& query_;
    std::int64_t now_s_;
    text::ReadBudget& budget_;
};

bool flag_of(const http::Request& request, const std::string& name) {
    const auto said = text_filter(request, name).value_or("false");
    if (said != "true" && said != "false") refuse(name, "it must be true or false");
    return said == "true";
}

const ProjectConfig& project_of(const http::Request& request, const Config& config) {
    const auto name = text_filter(request, "project");
    if (!name) refuse("project", "is missing: whose results are these?");
    check_sender(request, *name);
    const auto found = config.projects.find(*name);
    if (found == config.projects.end()) {
        throw Error(
            Errc::not_found,
            "the config has no project '" + text::one_line(*name, 80) +
                "'; GET /api/v1/projects lists those it has");
    }
    if (!is_external(found->second)) {
        throw Error(
            Errc::conflict,
            "project " + *name +
                " is measured here; only one with source.kind \"elsewhere\" takes results");
    }
    return found->second;
}

/// In the order of their times; what is of one night stays together, behind its first.
void put_in_order(std::vector<SentNight>& nights, bool all_history, bool closes) {
    std::stable_sort(nights.begin(), nights.end(), [](const auto& a, const auto& b) {
        return a.time_s < b.time_s;
    });
    const auto newest = std::pair(nights.back().revision, nights.back().version);
    for (auto& night : nights) {
        night.is_history = all_history || std::pair(night.revision, night.version) != newest;
        night.closes = closes;
    }
}

}  // namespace

SentResults read_results(
    const http::Request& request,
    const std::string& body,
    const Config& config,
    std::int64_t now_s) {
    check_query(
        request,
        {"project",
         "revision",
         "version",
         "measured_at",
         "machine_class",
         "machine",
         "format",
         "file_name",
         "closed",
         "history",
         "ignore_failure"});
    SentResults sent{project_of(request, config), {}, {}};
    const auto told = [&](const char* name) { return text_filter(request, name).value_or(""); };
    const Said said{
        .where = "",
        .revision = told("revision"),
        .version = told("version"),
        .measured_at = told("measured_at"),
        .machine_class = told("machine_class"),
        .machine = told("machine"),
        .format = told("format"),
        .file_name = told("file_name"),
        .environment = {},
        .ignores_failure = flag_of(request, "ignore_failure")};
    text::ReadBudget budget(body.size());
    const auto type = request.header("content-type").value_or("");
    if (type.starts_with("application/x-ndjson")) {
        ManyNights(sent, said, now_s, budget).read_lines(body);
    } else if (!ManyNights(sent, said, now_s, budget).read_object(body)) {
        const auto called = said.file_name.empty() ? "the body" : said.file_name;
        read_file(said, body, called, now_s, budget, sent.nights);
    }
    if (sent.nights.empty() && !sent.left_out.empty()) {
        const auto& first = sent.left_out.front();
        const auto more = sent.left_out.size() - 1;
        throw Error(
            Errc::invalid_argument,
            first.why +
                (more == 0 ? ""
                           : fmt::format(" (and {} more {})", more, more == 1 ? "file" : "files")));
    }
    if (sent.nights.empty()) refuse("the body", "it holds no night");
    put_in_order(sent.nights, flag_of(request, "history"), flag_of(request, "closed"));
    return sent;
}

}  // namespace vigil::service
