#include "service/store/findings/requests.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/text/lines.hpp"
#include "schema/text/nearest.hpp"
#include "schema/text/times.hpp"
#include "schema/wire/job_json.hpp"
#include "schema/wire/json.hpp"
#include "schema/wire/object_reader.hpp"
#include "schema/wire/traceparent.hpp"
#include "service/api/common/handlers.hpp"
#include "service/schedule/day_budget.hpp"
#include "service/schedule/job_queue.hpp"
#include "service/store/findings/bisections.hpp"
#include "service/store/ids.hpp"
#include "service/store/series/series.hpp"
#include "service/watch/quarantine.hpp"
#include "service/watch/requested/ask.hpp"
#include "service/watch/requested/requests.hpp"
#include "service/watch/series/series_records.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t max_requested_name_bytes = 200;
constexpr std::size_t min_requested_hash_digits = 4;
constexpr int max_builds_shown = 5;
constexpr int default_requested_runs = 5;
constexpr int max_requested_runs = 200;  // of one build and variant

/// What is measured: every part that is given must fit; of the matrix of the project.
struct WantedPart {
    std::string suite;
    std::string benchmark;
    std::string variant;
    std::string machine_class;
    std::string case_name;
};

/// Reads the parts of a body that all requests share.
class RequestBody {
  public:
    RequestBody(const http::Request& request, Database& db, const HandlerContext& context)
        : db_(db),
          json_(wire::parse_json(request.body, "the body")),
          reader_(json_, "body"),
          name_(reader_.text("project", max_requested_name_bytes)) {
        check_query(request, {});
        const auto found = context.config.projects.find(name_);
        if (found == context.config.projects.end()) {
            throw Error(
                Errc::not_found,
                "the config has no project '" + name_ +
                    "'; GET /api/v1/projects lists those it has");
        }
        config_ = &found->second;
        wanted_.project = ensure_project(db, name_, context.now_s);
        wanted_.token = request.caller ? request.caller->name : "";
        wanted_.traceparent = wire::traceparent_or_new(request.header("traceparent"));
    }

    wire::ObjectReader& reader() { return reader_; }
    const ProjectConfig& config() const { return *config_; }
    NewRequest& wanted() { return wanted_; }

    std::string name(std::string_view key) {
        auto name = reader_.text(key, max_requested_name_bytes);
        if (is_blank(name) || text::one_line(name, max_requested_name_bytes) != name) {
            wire::refuse(
                reader_.path(key), "is one line that names a revision, a version or a night");
        }
        return name;
    }

    /// Named by what the ledger knows; nullopt: the project's source is to be asked.
    std::optional<BuildId> find_build(std::string_view key, const std::string& name) {
        const auto path = reader_.path(key);
        const auto found = list_builds_named(db_, wanted_.project, name, max_builds_shown + 1);
        const bool is_short = is_lower_hex(name) && name.size() < min_requested_hash_digits;
        if (found.size() == 1 && !is_short) return found.front().build;
        if (found.size() > 1) {
            std::vector<std::string> builds;
            for (const auto& one : found) {
                builds.push_back(
                    fmt::format("build/{} ({})", one.build.value, one.revision.brief()));
            }
            wire::refuse(
                path, fmt::format("\"{}\" is several builds: {}", name, text::joined(builds)));
        }
        if (is_short) wire::refuse(path, "a commit is named by at least 4 hex digits");
        if (name.starts_with("build/") || text::parse_time(name)) {
            wire::refuse(
                path,
                fmt::format(
                    "project {} has no \"{}\"; /api/v1/nightlies lists its nights", name_, name));
        }
        return std::nullopt;
    }

    WantedPart part() {
        return {
            reader_.text_or("suite", "", max_requested_name_bytes),
            reader_.text_or("benchmark", "", max_requested_name_bytes),
            reader_.text_or("variant", "", max_requested_name_bytes),
            reader_.text_or("machine_class", "", max_requested_name_bytes),
            reader_.text_or("case", "", wire::max_case_bytes)};
    }

    /// A number, or a form's text of one.
    SeriesRow series() {
        const auto* text = json_.at("series").get_ptr<const std::string*>();
        if (text == nullptr) return load_series(db_, reader_.id<SeriesTag>("series"));
        SeriesId id;
        const char* const end = text->data() + text->size();
        const auto [at, error] = std::from_chars(text->data(), end, id.value);
        if (error != std::errc() || at != end || reader_.text("series").empty()) {
            wire::refuse("body.series", "must be the id of a series");
        }
        return load_series(db_, id);
    }

    /// What of the project's matrix fits.
    void choose(const WantedPart& part) {
        wanted_.asked.case_name = part.case_name;
        std::set<std::tuple<std::string, std::string, std::string>> seen;
        std::map<std::string, std::vector<std::string>> known;
        const auto fits = [&](const char* key, const std::string& asked, const std::string& has) {
            known[key].push_back(has);
            return asked.empty() || asked == has;
        };
        for (const auto& entry : config_->matrix) {
            for (const auto& plan : config_->suites.at(entry.suite)) {
                for (const auto& machine_class : entry.machine_classes) {
                    const bool all[] = {
                        fits("suite", part.suite, entry.suite),
                        fits("benchmark", part.benchmark, plan.benchmark),
                        fits("variant", part.variant, plan.variant),
                        fits("machine_class", part.machine_class, machine_class)};
                    if (std::find(std::begin(all), std::end(all), false) != std::end(all)) continue;
                    if (!part.case_name.empty() && !plan.cases) continue;
                    if (!seen.emplace(plan.benchmark, plan.variant, machine_class).second) continue;
                    has_cases_ = has_cases_ || plan.cases;
                    wanted_.asked.variants.push_back({plan.benchmark, plan.variant, machine_class});
                }
            }
        }
        if (!wanted_.asked.variants.empty()) return;
        for (const auto& [key, asked] :
             {std::pair{"suite", part.suite},
              std::pair{"benchmark", part.benchmark},
              std::pair{"variant", part.variant},
              std::pair{"machine_class", part.machine_class}}) {
            const auto& names = known[key];
            if (asked.empty() || std::find(names.begin(), names.end(), asked) != names.end()) {
                continue;
            }
            wire::refuse(
                reader_.path(key),
                fmt::format(
                    "project {} measures no {} \"{}\"{}",
                    name_,
                    key,
                    asked,
                    text::did_you_mean(asked, names)));
        }
        throw Error(
            Errc::invalid_argument,
            "project " + name_ +
                " measures nothing that is all of this; its suites and its "
                "matrix are in the config");
    }

    void choose_metric() {
        if (!reader_.has("metric")) return;
        wanted_.asked.metric = reader_.choice<Metric>("metric");
    }

    /// Whether what was chosen measures many cases.
    bool has_cases() const { return has_cases_; }

  private:
    Database& db_;
    nlohmann::json json_;
    wire::ObjectReader reader_;
    std::string name_;
    const ProjectConfig* config_ = nullptr;
    NewRequest wanted_;
    bool has_cases_ = false;
};

http::Response add(Database& db, const NewRequest& wanted, const HandlerContext& context) {
    const auto id = ask(db, wanted, context.now_s);
    nlohmann::json reply = {{"request", id.value}};
    const auto name = load_project_name(db, wanted.project);
    const auto note = find_budget_note(db, context.config, name, WorkLevel::later, context.now_s);
    if (note) reply["note"] = name + ": " + *note;
    auto response = object_response(std::move(reply), 202);
    response.headers["location"] = "/api/v1/requests/" + to_string(id);
    return response;
}

http::Response reply_of(Database& db, RequestId id) {
    return object_response({{"id", id.value}, {"state", to_string(load_request(db, id).state)}});
}

std::string cancelled_by(const http::Request& request) {
    return "cancelled by " + (request.caller ? request.caller->name : std::string("somebody"));
}

}  // namespace

http::Response post_run(const http::Request& request, Database& db, const HandlerContext& context) {
    RequestBody body(request, db, context);
    auto& reader = body.reader();
    auto& wanted = body.wanted();
    const bool by_version = reader.has("version");
    if (by_version && reader.has("revision")) {
        throw Error(Errc::invalid_argument, "body: give a revision or a version, not both");
    }
    const char* key = by_version ? "version" : "revision";
    wanted.kind = RequestKind::run;
    wanted.a = wanted.b = body.name(key);
    const auto part = body.part();
    wanted.asked.runs = reader.small_or("runs", default_requested_runs, {1, max_requested_runs});
    reader.done();
    wanted.a_build = wanted.b_build = body.find_build(key, wanted.a);
    body.choose(part);
    return add(db, wanted, context);
}

http::Response post_comparison(
    const http::Request& request, Database& db, const HandlerContext& context) {
    RequestBody body(request, db, context);
    auto& reader = body.reader();
    auto& wanted = body.wanted();
    wanted.kind = RequestKind::comparison;
    wanted.a = body.name("a");
    wanted.b = body.name("b");
    const auto part = body.part();
    body.choose_metric();
    wanted.asked.runs = reader.small_or("runs", 0, {1, max_requested_runs});
    reader.done();
    wanted.a_build = body.find_build("a", wanted.a);
    wanted.b_build = body.find_build("b", wanted.b);
    body.choose(part);
    return add(db, wanted, context);
}

http::Response post_bisection(
    const http::Request& request, Database& db, const HandlerContext& context) {
    RequestBody body(request, db, context);
    auto& reader = body.reader();
    auto& wanted = body.wanted();
    wanted.kind = RequestKind::bisection;
    wanted.a = body.name("good");
    wanted.b = body.name("bad");
    auto part = body.part();
    body.choose_metric();
    if (reader.has("series")) {
        const auto series = body.series();
        const bool more = !part.case_name.empty() || !part.benchmark.empty() ||
                          !part.variant.empty() || !part.machine_class.empty() ||
                          wanted.asked.metric;
        if (more || series.project != wanted.project) {
            wire::refuse(
                "body.series",
                more ? "stands alone: without benchmark, case, variant, machine_class and metric"
                     : "is of another project");
        }
        part.benchmark = series.benchmark;
        part.variant = series.variant;
        part.machine_class = load_machine_class_name(db, series.machine_class);
        wanted.asked.metric = series.metric;
        wanted.asked.series = series.id;
        part.case_name = series.case_name;
    }
    reader.done();
    if (!wanted.asked.metric) {
        wire::refuse("body", "says which series: its id, or benchmark, variant and metric");
    }
    check_searchable(body.config());
    wanted.a_build = body.find_build("good", wanted.a);
    wanted.b_build = body.find_build("bad", wanted.b);
    body.choose(part);
    if (body.has_cases() && part.case_name.empty() && !wanted.asked.series) {
        wire::refuse("body", "says one series: its program has many cases, name one with case");
    }
    if (wanted.asked.variants.size() > 1) {
        wire::refuse(
            "body", "says one series: give benchmark, variant and machine_class, or series");
    }
    return add(db, wanted, context);
}

http::Response post_request_cancel(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    const RequestId id{id_parameter(request)};
    end_request(db, id, RequestState::cancelled, cancelled_by(request), context.now_s);
    return reply_of(db, id);
}

http::Response post_bisection_cancel(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    const BisectionId id{id_parameter(request)};
    const auto why = cancelled_by(request);
    const auto state = load_bisection_state(db, id);
    if (state == BisectionState::done || state == BisectionState::failed) {
        throw Error(
            Errc::conflict,
            "bisection " + to_string(id) + " is " + std::string(to_string(state)) + " already");
    }
    if (const auto asked = find_request_of(db, id)) {
        end_request(db, *asked, RequestState::cancelled, why, context.now_s);
    } else {
        for (const auto job : list_open_jobs(db, id)) cancel_job(db, job, context.now_s);
        quarantine_bisection(db, id, why, context.now_s);
    }
    return object_response({{"id", id.value}, {"state", to_string(load_bisection_state(db, id))}});
}

void add_runs_of_request(nlohmann::json& thing, Database& db, const HandlerContext&) {
    const auto id = RequestId{thing.at("id").get<std::int64_t>()};
    const auto& asked = thing.at("asked");
    thing["most_runs"] = nullptr;
    thing["runs"] = count_runs(db, id);
    if (!asked.is_object()) return;  // it cannot be read
    thing["most_runs"] = most_runs(
        parse_enum<RequestKind>(thing.at("kind").get<std::string>()),
        asked.at("variants").size(),
        asked.at("runs").get<int>());
}

}  // namespace vigil::service
