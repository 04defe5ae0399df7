#include <algorithm>

#include <nlohmann/json.hpp>

#include "service/api/common/filters.hpp"
#include "service/api/common/handlers.hpp"
#include "service/api/results/suite.hpp"
#include "service/report/weeks.hpp"

// What a week brought, as the weekly message tells it, whenever somebody asks.

namespace vigil::service {

namespace {

using nlohmann::json;

json regression_rows_of(const WeekFacts& facts) {
    auto rows = json::array();
    for (const auto& one : facts.regressions) {
        const auto fixed = one.fixed ? one.fixed->author : std::string();
        const bool is_back = one.ended_as == RegressionEnd::recovered;
        rows.push_back(
            {{"id", one.id.value},
             {"state", to_string(one.state)},
             {"ended_as", one.ended_as ? json(to_string(*one.ended_as)) : json()},
             {"title", one.title},
             {"found_s", one.found_s},
             {"changed_s", one.changed_s},
             {"author", text_or_null(one.author)},
             {"mended_by", text_or_null(fixed)},
             {"back_after_s", is_back ? json(one.changed_s - one.found_s) : json()}});
    }
    return rows;
}

json improvement_rows(const WeekFacts& facts) {
    auto rows = json::array();
    for (const auto& one : facts.improvements) {
        const bool has_size = one.verdict == Verdict::improvement;
        const auto size = [&](double ratio) { return has_size ? json(ratio) : json(); };
        const auto& subject = one.culprit ? one.culprit_subject : one.commits.subject;
        rows.push_back(
            {{"series", one.series.value},
             {"benchmark", one.benchmark},
             {"variant", one.variant},
             {"machine_class", one.machine_class},
             {"metric", to_string(one.metric)},
             {"verdict", to_string(one.verdict)},
             {"change_ratio", size(one.confirmed.change_ratio)},
             {"low", size(one.confirmed.low)},
             {"high", size(one.confirmed.high)},
             {"nightly", one.night.value},
             {"good_nightly", one.before.value},
             {"commits", one.commits.count},
             {"authors", one.commits.authors},
             {"culprit", one.culprit ? json(one.culprit->str()) : json()},
             {"subject", subject.empty() ? json() : json(subject)}});
    }
    return rows;
}

json decision_rows(const WeekFacts& facts) {
    auto rows = json::array();
    for (const auto& one : decisions_of(facts)) {
        rows.push_back({{"subject", one.subject}, {"message", one.words}});
    }
    return rows;
}

json machine_time(const WeekFacts& facts) {
    json seconds = json::object();
    for (const auto& [purpose, name] : enum_names<Purpose>) {
        const auto found = facts.machine_s.find(purpose);
        seconds[std::string(name)] = found == facts.machine_s.end() ? 0 : found->second;
    }
    return seconds;
}

}  // namespace

http::Response get_week(const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {"project", "until", "until_s"});
    const Snapshot snapshot(db);
    const auto project = suite_project(request, db, context);
    const auto until_s = Filters(request, db, context.config).until_s().value_or(context.now_s);
    const auto facts = load_week_facts(db, context.config, project.name, until_s);
    const auto document = render_week(facts);
    return object_response(
        {{"project", project.name},
         {"since_s", facts.since_s},
         {"until_s", facts.until_s},
         {"title", document.title},
         {"body", document.body},
         {"regressions", regression_rows_of(facts)},
         {"improvements", improvement_rows(facts)},
         {"decisions", decision_rows(facts)},
         {"machine_s", machine_time(facts)}});
}

}  // namespace vigil::service
