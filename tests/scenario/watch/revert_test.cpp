// Whether a revert of a verified culprit would help: what the daemon asks for, and when.

#include <catch2/catch.hpp>

#include "service/report/facts/regression_facts.hpp"
#include "service/report/render/render_regression.hpp"
#include "service/store/findings/requests.hpp"
#include "service/store/findings/revert_checks.hpp"
#include "service/watch/requested/reverts.hpp"
#include "tests/support/fleet.hpp"
#include "tests/support/other_regressions.hpp"

using namespace vigil;
using namespace vigil::service;
using Catch::Contains;
using tests::Fleet;
using tests::World;

namespace {

constexpr int reverted_commit = 27;
const RegressionId reverted_id{1};

World world_to_revert() {
    World world{.seed = 1, .commits = 40};
    world.changes = {{.commit = reverted_commit, .variant = "infer", .time = 1.2}};
    return world;
}

RevertCheck known_revert(Fleet& fleet) {
    return find_revert_check(fleet.db(), reverted_id).value();
}

void advance_checks(Fleet& fleet) {
    Transaction transaction(fleet.db());
    advance_reverts(fleet.db(), fleet.config(), fleet.now_s());
    transaction.commit();
}

void play_to_culprit(Fleet& fleet) {
    fleet.night(0);
    fleet.night(40);
    REQUIRE(fleet.culprits() == std::vector{fleet.revision(reverted_commit)});
    REQUIRE(known_revert(fleet).state == RevertState::waiting);
}

history::RevertTry git_found(Fleet& fleet, history::RevertFit fit) {
    history::RevertTry found;
    found.fit = fit;
    found.head = Revision(fleet.revision(40));
    found.parent = Revision(fleet.revision(reverted_commit - 1));
    if (fit == history::RevertFit::applies) found.made = Revision(std::string(40, 'e'));
    return found;
}

void git_says(Fleet& fleet, const history::RevertTry& found, const std::string& why = "") {
    Transaction transaction(fleet.db());
    const ApplyingRevert asked{reverted_id, Revision(fleet.revision(reverted_commit))};
    record_revert(fleet.db(), asked, found, why, fleet.now_s());
    transaction.commit();
}

/// The request that measures is over, and its runs said so.
void runs_said(Fleet& fleet, double change_ratio) {
    auto& db = fleet.db();
    const auto check = known_revert(fleet);
    Transaction transaction(db);
    const auto request = load_request(db, *check.request);
    const auto series = request.asked.variants.front();
    const auto session = add_request_session(db, request, series, MachineClassId{1}, "", 1);
    Comparison said;
    said.change_ratio = change_ratio;
    said.low = change_ratio - 0.005;
    said.high = change_ratio + 0.005;
    said.runs_before = said.runs_after = 4;
    note_verdict(db, session, {*check.series, Verdict::improvement, said, "by a test"});
    end_request_session(db, session, "");
    move_request(db, *check.request, RequestState::measuring, "", fleet.now_s());
    move_request(db, *check.request, RequestState::done, "", fleet.now_s());
    transaction.commit();
}

std::string report_of_it(Fleet& fleet) {
    return render_regression(load_regression_facts(fleet.db(), reverted_id, fleet.config())).body;
}

int its_requests(Fleet& fleet) {
    return fleet.count("request", "token = 'revert check of regression 1'");
}

}  // namespace

TEST_CASE("The newest revision is measured against its revert, behind other work", "[scenario]") {
    Fleet fleet(world_to_revert(), ":memory:");
    play_to_culprit(fleet);
    advance_checks(fleet);
    REQUIRE(known_revert(fleet).state == RevertState::applying);
    CHECK(known_revert(fleet).size->change_ratio == Approx(0.2).epsilon(0.2));
    advance_checks(fleet);
    CHECK(its_requests(fleet) == 0);  // the git lane has it
    git_says(fleet, git_found(fleet, history::RevertFit::applies));
    CHECK(known_revert(fleet).state == RevertState::measuring);
    git_says(fleet, git_found(fleet, history::RevertFit::applies));  // told twice
    CHECK(its_requests(fleet) == 1);
    CHECK(
        fleet.count(
            "request",
            "state = 'naming' AND a = '" + fleet.revision(40) + "' AND b = '" +
                std::string(40, 'e') + "' AND a_build_id < b_build_id") == 1);
    CHECK(
        load_request(fleet.db(), *known_revert(fleet).request).asked.priority() ==
        Priority::improvement);
    CHECK_THAT(report_of_it(fleet), !Contains("A revert on"));
    runs_said(fleet, -0.16);
    advance_checks(fleet);
    CHECK(known_revert(fleet).outcome == RevertOutcome::helps);
    CHECK_THAT(report_of_it(fleet), Contains("brings back 19.0 of ") && !Contains("-m 1"));
    fleet.db().execute(
        "UPDATE suspect SET merge = 1 WHERE revision = ?1", fleet.revision(reverted_commit));
    CHECK_THAT(report_of_it(fleet), Contains("against its first parent (git revert -m 1)"));
    CHECK(fleet.count("event", "kind = 'regression.revert'") == 1);
    git_says(fleet, git_found(fleet, history::RevertFit::conflicts));  // nobody asks any more
    CHECK(known_revert(fleet).outcome == RevertOutcome::helps);
    // Once for each culprit, and again when a person asks.
    CHECK_FALSE(ask_revert_check(
        fleet.db(), reverted_id, known_revert(fleet).culprit, false, fleet.now_s()));
    ask_revert_by_hand(fleet.db(), fleet.config(), reverted_id, fleet.now_s());
    CHECK(known_revert(fleet).state == RevertState::waiting);
    CHECK_THROWS_AS(
        ask_revert_by_hand(fleet.db(), fleet.config(), reverted_id, fleet.now_s()), Error);
}

TEST_CASE("Where a revert brings nothing back, the parent is measured too", "[scenario]") {
    Fleet fleet(world_to_revert(), ":memory:");
    play_to_culprit(fleet);
    advance_checks(fleet);
    const bool applies = GENERATE(true, false);
    git_says(
        fleet, git_found(fleet, applies ? history::RevertFit::applies : history::RevertFit::empty));
    if (applies) {
        runs_said(fleet, 0.001);
        advance_checks(fleet);
    }
    REQUIRE(known_revert(fleet).state == RevertState::comparing);
    CHECK(its_requests(fleet) == (applies ? 2 : 1));
    const bool is_back = GENERATE(true, false);
    runs_said(fleet, is_back ? 0.001 : 0.19);
    advance_checks(fleet);
    CHECK(
        known_revert(fleet).outcome == (is_back   ? RevertOutcome::gone
                                        : applies ? RevertOutcome::no_help
                                                  : RevertOutcome::taken_back));
}

TEST_CASE("A revert that does not apply measures nothing", "[scenario]") {
    Fleet fleet(world_to_revert(), ":memory:");
    play_to_culprit(fleet);
    advance_checks(fleet);
    auto found = git_found(fleet, history::RevertFit::conflicts);
    found.conflicts = {"src/a.cpp"};
    found.conflicting = 1;
    SECTION("conflicts") {
        git_says(fleet, found);
        CHECK(known_revert(fleet).outcome == RevertOutcome::conflicts);
        CHECK_THAT(report_of_it(fleet), Contains("does not apply: conflicts in 1 file"));
    }
    SECTION("another line") {
        git_says(fleet, git_found(fleet, history::RevertFit::not_held));
        CHECK(known_revert(fleet).outcome == RevertOutcome::not_held);
    }
    SECTION("it cannot be tried") {
        git_says(fleet, found, "the repository is gone");
        CHECK(known_revert(fleet).outcome == RevertOutcome::unknown);
        CHECK_THAT(report_of_it(fleet), Contains("not known: the repository is gone"));
    }
    CHECK(its_requests(fleet) == 0);
}

TEST_CASE("A request that fails or is cancelled is said", "[scenario]") {
    Fleet fleet(world_to_revert(), ":memory:");
    play_to_culprit(fleet);
    advance_checks(fleet);
    git_says(fleet, git_found(fleet, history::RevertFit::applies));
    const auto state = GENERATE(RequestState::failed, RequestState::cancelled);
    move_request(fleet.db(), *known_revert(fleet).request, state, "build 3 was not built", 1);
    advance_checks(fleet);
    CHECK(known_revert(fleet).outcome == RevertOutcome::unknown);
    CHECK_THAT(report_of_it(fleet), Contains("build 3 was not built"));
}

TEST_CASE("Revert checks are off, or have a budget a day that a person may pass", "[scenario]") {
    Fleet fleet(world_to_revert(), ":memory:");
    play_to_culprit(fleet);
    auto& rules = fleet.config().projects.begin()->second.revert;
    SECTION("off") {
        rules.checks_per_day = 0;
        advance_checks(fleet);
        CHECK_FALSE(find_revert_check(fleet.db(), reverted_id));
        CHECK_THROWS_AS(
            ask_revert_by_hand(fleet.db(), fleet.config(), reverted_id, fleet.now_s()), Error);
    }
    SECTION("spent") {
        rules.checks_per_day = 1;
        fleet.db().execute("UPDATE revert_check SET begun_at_s = ?1", fleet.now_s());
        advance_checks(fleet);
        CHECK(known_revert(fleet).state == RevertState::waiting);
        fleet.db().execute("UPDATE revert_check SET by_hand = 1");
        advance_checks(fleet);
        CHECK(known_revert(fleet).state == RevertState::applying);
    }
}

TEST_CASE("Checks that wait keep no other project's from its turn", "[scenario]") {
    Fleet fleet(world_to_revert(), ":memory:");
    play_to_culprit(fleet);
    tests::add_regressions_of_another(fleet.db(), reverted_id, 30);
    fleet.db().execute(
        "INSERT INTO revert_check(regression_id, state, culprit, by_hand, created_at_s) "
        "SELECT id, 'waiting', culprit, 0, 0 FROM regression WHERE id < 0");
    advance_checks(fleet);
    CHECK(known_revert(fleet).state == RevertState::applying);
}
