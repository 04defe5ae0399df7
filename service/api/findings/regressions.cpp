#include "service/store/findings/regressions.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bisect/stats/change_share.hpp"
#include "schema/model/states.hpp"
#include "schema/wire/json.hpp"
#include "schema/wire/json_types.hpp"
#include "schema/wire/object_reader.hpp"
#include "service/api/common/handlers.hpp"
#include "service/api/common/sizes.hpp"
#include "service/api/results/withdrawals.hpp"
#include "service/config/links.hpp"
#include "service/store/findings/reported.hpp"
#include "service/store/findings/revert_checks.hpp"
#include "service/store/findings/whys.hpp"
#include "service/store/lists/lists.hpp"
#include "service/store/work/jobs.hpp"
#include "service/store/workers.hpp"
#include "service/watch/requested/revert_words.hpp"
#include "service/watch/requested/reverts.hpp"
#include "service/watch/search/why.hpp"

namespace vigil::service {

namespace {

/// Empty where there is none.
Revision revision_of(const nlohmann::json& hash) {
    return hash.is_null() ? Revision() : Revision(hash.get<std::string>());
}

/// A commit that a text names; null where none is.
nlohmann::json fix_commit(const Fix& told) {
    if (told.revision.empty()) return nullptr;
    return {{"revision", told.revision.str()}, {"subject", told.subject}, {"author", told.author}};
}

/// How its series came back; of a range whose commits are not listed yet the ends alone.
nlohmann::json fixes_of(Database& db, const Links& links, std::int64_t regression) {
    auto all = nlohmann::json::array();
    for (const auto& fact : list_fix_facts(db, RegressionId{regression})) {
        const Fix told = fact.told.value_or(Fix{});
        all.push_back(
            {{"nightly", fact.nightly.value},
             {"revision", fact.fixed.str()},
             {"bad_nightly", fact.bad_nightly.value},
             {"bad_revision", fact.bad.str()},
             {"listed", fact.told.has_value()},
             {"by", told.by ? nlohmann::json(to_string(*told.by)) : nlohmann::json()},
             {"commit", fix_commit(told)},
             {"candidates", told.candidates},
             {"merge", text_or_null(told.merge.str())},
             {"reverts", text_or_null(told.reverts.str())},
             {"only", told.only},
             {"commits", told.line_commits},
             {"rewritten", told.rewritten},
             {"reason", told.unlisted},
             {"links",
              {{"commit", text_or_null(commit_url(links, told.revision))},
               {"range", text_or_null(range_url(links, fact.bad, fact.fixed))}}}});
    }
    return all;
}

/// Which functions of the culprit execute more; null where it was not asked.
nlohmann::json why_of(Database& db, std::int64_t regression) {
    const auto why = find_why(db, RegressionId{regression});
    if (!why) return nullptr;
    std::optional<WorkerId> worker;
    if (why->job) worker = load_job(db, *why->job).worker;
    return {
        {"state", to_string(why->state)},
        {"culprit", why->culprit.str()},
        {"by_hand", why->by_hand},
        {"series", why->series ? nlohmann::json(why->series->value) : nlohmann::json()},
        {"job", why->job ? nlohmann::json(why->job->value) : nlohmann::json()},
        {"worker", text_or_null(worker ? load_worker_name(db, *worker) : "")},
        {"reason", text_or_null(why->message)},
        {"flame",
         why->has_flame
             ? nlohmann::json(fmt::format("/api/v1/regressions/{}/flame.svg", regression))
             : nlohmann::json()},
        {"found", why->found ? profile::why_json(*why->found) : nlohmann::json()}};
}

nlohmann::json change_json(const std::optional<Comparison>& change) {
    if (!change) return nullptr;
    return {{"change_ratio", change->change_ratio}, {"low", change->low}, {"high", change->high}};
}

/// Whether taking the culprit back would help; null where it was not asked.
nlohmann::json revert_of(Database& db, std::int64_t regression) {
    const auto check = find_revert_check(db, RegressionId{regression});
    if (!check) return nullptr;
    const auto id_or_null = [](const auto& id) {
        return id ? nlohmann::json(id->value) : nlohmann::json();
    };
    const auto revision_or_null = [](const auto& revision) {
        return text_or_null(revision ? revision->str() : "");
    };
    const auto& reverted = check->reverted;
    return {
        {"state", to_string(check->state)},
        {"culprit", check->culprit.str()},
        {"by_hand", check->by_hand},
        {"head", revision_or_null(check->head)},
        {"reverted", revision_or_null(check->made)},
        {"conflicts", check->conflicts},
        {"conflicting", check->conflicting},
        {"series", id_or_null(check->series)},
        {"request", id_or_null(check->request)},
        {"size", change_json(check->size)},
        {"back", change_json(reverted ? std::optional(stats::turned(*reverted)) : std::nullopt)},
        {"still", change_json(check->still)},
        {"outcome", check->outcome ? nlohmann::json(to_string(*check->outcome)) : nlohmann::json()},
        {"words", revert_words(*check)}};
}

nlohmann::json earlier_of(Database& db, std::int64_t regression) {
    auto ids = nlohmann::json::array();
    for (const auto& earlier : list_earlier_facts(db, RegressionId{regression})) {
        ids.push_back(earlier.regression.value);
    }
    return ids;
}

}  // namespace

void add_links(nlohmann::json& row, Database&, const HandlerContext& context) {
    const Links links = links_of(context.config, row.at("project").get<std::string>());
    const auto& commit = row.at("culprit_commit");
    const auto parent = commit.is_null() ? Revision() : revision_of(commit.at("parent"));
    const auto range =
        range_url(links, revision_of(row.at("good_revision")), revision_of(row.at("bad_revision")));
    auto& all = row.at("links");
    auto& issue = all.at("issue");
    if (!issue.is_null() && !is_plain_url(issue.get<std::string>())) issue = nullptr;
    all["self"] =
        text_or_null(regression_data_url(links, RegressionId{row.at("id").get<std::int64_t>()}));
    all["culprit"] = text_or_null(commit_url(links, revision_of(row.at("culprit"))));
    all["parent"] = text_or_null(commit_url(links, parent));
    all["range"] = text_or_null(range);
}

void add_worst(nlohmann::json& row, Database& db, const HandlerContext& context) {
    add_links(row, db, context);
    add_sizes(row, db);
    auto& worst = row["worst"] = nullptr;
    for (const auto& series : row.at("series")) {
        const auto& ratio = ratio_of(series);
        if (ratio.is_null() || (!worst.is_null() && worst.at("change_ratio") >= ratio)) continue;
        worst = {{"change_ratio", ratio}};
        for (const char* key :
             {"benchmark", "case", "variant", "machine_class", "metric", "quantity", "unit"}) {
            worst[key] = series.at(key);
        }
        const auto& size = series.at("size");
        for (const char* key : {"before", "after", "low", "high"}) {
            worst[key] = size.is_object() ? size.at(key) : nullptr;
        }
        worst["today"] = series.at("today");
    }
}

http::Response get_regression(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    const Snapshot snapshot(db);
    const auto id = id_parameter(request);
    auto regression = load_one(db, lists::regressions, id);
    add_links(regression, db, context);
    add_sizes(regression, db);
    const auto links = links_of(context.config, regression.at("project").get<std::string>());
    regression["mendings"] = fixes_of(db, links, id);
    regression["earlier"] = earlier_of(db, id);
    regression["why"] = why_of(db, id);
    regression["revert"] = revert_of(db, id);
    const NightlyId nightly{regression.at("nightly").get<std::int64_t>()};
    regression["night_withdrawn"] = withdrawals_of(db, nightly);
    return object_response(std::move(regression));
}

http::Response post_regression_state(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    const auto id = id_parameter(request);
    const auto body = wire::parse_json(request.body, "the body");
    wire::ObjectReader reader(body, "body");
    const auto wanted = reader.choice<RegressionState>("state");
    const auto reason = reader.text_or("reason", "", max_reason_bytes);
    reader.done();
    const bool needs_reason = wanted == RegressionState::accepted ||
                              wanted == RegressionState::refuted ||
                              wanted == RegressionState::reported;
    if (needs_reason && is_blank(reason)) {
        throw Error(
            Errc::invalid_argument,
            "body.reason is missing: say why regression " + std::to_string(id) + " is " +
                std::string(to_string(wanted)));
    }
    move_by_hand(db, RegressionId{id}, wanted, request.caller->name, reason, context.now_s);
    return object_response({{"id", id}, {"state", to_string(wanted)}});
}

http::Response post_regression_why(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    const auto id = id_parameter(request);
    ask_why_by_hand(db, context.config, RegressionId{id}, context.now_s);
    return object_response({{"id", id}, {"why", why_of(db, id)}}, 202);
}

http::Response get_regression_flame(
    const http::Request& request, Database& db, const HandlerContext&) {
    check_query(request, {});
    const auto id = id_parameter(request);
    auto svg = find_flame(db, RegressionId{id});
    if (!svg) {
        throw Error(
            Errc::not_found,
            "regression " + std::to_string(id) +
                " has no flame graph: only profiles of memory have stacks");
    }
    auto response = http::text_response(std::move(*svg), "image/svg+xml");
    response.headers["content-security-policy"] = "default-src 'none'";
    return response;
}

http::Response post_regression_revert(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    const auto id = id_parameter(request);
    ask_revert_by_hand(db, context.config, RegressionId{id}, context.now_s);
    return object_response({{"id", id}, {"revert", revert_of(db, id)}}, 202);
}

}  // namespace vigil::service
