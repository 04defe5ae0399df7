#include "tests/bench/nights/read_back.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "service/api/common/handlers.hpp"
#include "service/api/common/inner_call.hpp"
#include "service/store/lists/lists.hpp"

namespace vigil::nights {

using namespace vigil::service;
using nlohmann::json;

namespace {

using HandlerOf = http::Response (*)(const http::Request&, Database&, const HandlerContext&);

json ask(
    HandlerOf handler,
    const http::Request& request,
    Database& db,
    const Config& config,
    std::int64_t now_s) {
    const HandlerContext context{config, now_s, now_s * 1'000'000'000, now_s};
    return read_api(handler, request, db, context, request.query, request.parameters);
}

/// Every page of a listing, newest first.
std::vector<json> pages(HandlerOf handler, Database& db, const Config& config, std::int64_t now_s) {
    std::vector<json> items;
    http::Request request;
    request.query["limit"] = "500";
    for (;;) {
        const auto page = ask(handler, request, db, config, now_s);
        for (const auto& item : page.at("items")) items.push_back(item);
        if (page.at("next_cursor").is_null()) return items;
        request.query["cursor"] = page.at("next_cursor");
    }
}

std::string series_id(const json& row) {
    return row.at("machine_class").get<std::string>() + "/" +
           row.at("benchmark").get<std::string>() + "/" + row.at("metric").get<std::string>();
}

template <class T>
T value_or(const json& value, T other) {
    return value.is_null() ? other : value.get<T>();
}

Issue issue_of(const json& row, const World& world, const std::map<std::string, int>& series) {
    const auto& commits = world.commits();
    Issue issue;
    issue.id = row.at("id");
    issue.nightly = row.at("nightly");
    issue.state = row.at("state");
    if (row.at("ended_as") == "not_reproduced") issue.state = row.at("ended_as");
    issue.reason = row.at("reason");
    if (!row.at("culprit").is_null()) issue.culprit = commits.number(row.at("culprit"));
    issue.good = commits.number(row.at("good_revision"));
    issue.bad = commits.number(row.at("bad_revision"));
    for (const auto& suspect : row.at("suspects")) {
        issue.suspects.push_back(commits.number(suspect));
    }
    for (const auto& one : row.at("series")) {
        const auto recovered = value_or<std::int64_t>(one.at("recovered_nightly"), 0);
        issue.series.push_back({series.at(series_id(one)), recovered});
    }
    return issue;
}

}  // namespace

Reader::Reader(const World& world, const Config& config, Database& db)
    : world_(world), config_(config), db_(db) {
    for (const auto& one : world.series()) series_.emplace(one.id, series_.size());
}

void Reader::read_reports(Record& record, int night, std::int64_t now_s) {
    http::Request request;
    request.query = {{"kind", "regression"}, {"limit", "500"}};
    const auto newest = ask(list_of<lists::reports>, request, db_, config_, now_s).at("items");
    for (auto item = newest.rbegin(); item != newest.rend(); ++item) {
        const std::int64_t id = item->at("id");
        if (id <= last_report_) continue;
        http::Request one;
        one.parameters["id"] = std::to_string(item->at("regression").get<std::int64_t>());
        const auto regression = ask(get_regression, one, db_, config_, now_s);
        record.reports.push_back(
            {id,
             night,
             item->at("version"),
             item->at("title"),
             issue_of(regression, world_, series_)});
        last_report_ = id;
    }
}

std::vector<std::string> Reader::held_workers(std::int64_t now_s) {
    std::vector<std::string> held;
    for (const auto& worker : pages(list_of<lists::workers, add_unseen>, db_, config_, now_s)) {
        if (worker.at("state") == "quarantined") held.push_back(worker.at("name"));
    }
    return held;
}

void Reader::read_all(Record& record, std::int64_t now_s) {
    for (const auto& row : pages(list_of<lists::regressions, add_links>, db_, config_, now_s)) {
        record.issues.push_back(issue_of(row, world_, series_));
    }
    const auto night_of = [&](std::int64_t nightly) {
        const auto found = record.nights.find(nightly);
        return found == record.nights.end() ? std::nullopt : std::optional(found->second);
    };
    for (const auto& row : pages(list_of<lists::suspicions>, db_, config_, now_s)) {
        Suspected one;
        one.series = series_.at(series_id(row));
        one.night = night_of(row.at("nightly"));
        one.good = night_of(value_or<std::int64_t>(row.at("good_nightly"), 0));
        one.change = row.at("change_ratio");
        one.verdict = value_or<std::string>(row.at("verdict"), "");
        one.in_session = !row.at("session").is_null();
        const auto& confirmed = row.at("confirmed");
        if (confirmed.is_object() && confirmed.value("runs_after", 0) > 0) {
            one.measured = value_or(confirmed.at("change_ratio"), 0.0);
        }
        record.suspicions.push_back(one);
    }
    for (const auto& row : pages(list_of<lists::drifts>, db_, config_, now_s)) {
        record.drifts.push_back(
            {series_.at(series_id(row)), night_of(row.at("nightly")), row.at("change_ratio")});
    }
    for (const auto& row : pages(list_of<lists::storms>, db_, config_, now_s)) {
        record.storms.push_back({row.at("nightly"), row.at("state")});
    }
    for (const auto& row : pages(list_of<lists::bisections>, db_, config_, now_s)) {
        if (row.at("kind") == "change") ++record.searches[row.at("state")];
    }
}

}  // namespace vigil::nights
