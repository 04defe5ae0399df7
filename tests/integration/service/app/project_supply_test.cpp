#include <catch2/catch.hpp>

#include "service/store/findings/fix_records.hpp"
#include "service/store/nights/night_commits.hpp"
#include "service/watch/night/backfill.hpp"
#include "supply_scene.hpp"
#include "tests/support/canned_server.hpp"

namespace vigil::service {
namespace {

using Catch::Contains;

test::CannedReply never(const test::CannedRequest&) {
    test::CannedReply reply;
    reply.fault = test::Fault::silence;
    return reply;
}

TEST_CASE("A source that never answers keeps no other project waiting", "[service][app]") {
    const test::CannedServer silent(never);
    SupplyScene scene;
    const auto stuck = scene.add("stuck", silent.url() + "/x.git");
    const auto other = scene.add("other", scene.origin.folder().string());
    CHECK(scene.play_until_ended(other).state == TriggerState::done);
    // The end of the daemon is no reason to give up what was asked for.
    auto db = Database::open_reader(scene.ledger());
    CHECK(load_trigger(db, stuck).state == TriggerState::waiting);
}

TEST_CASE("A source that gives nothing is a trouble until it gives again", "[service][app]") {
    SupplyScene scene;
    const auto hidden = scene.scratch / "hidden";
    std::filesystem::rename(scene.origin.folder(), hidden);
    const auto first = scene.play_until_ended(scene.add("demo", scene.origin.folder().string()));
    CHECK(first.state == TriggerState::failed);
    REQUIRE(scene.troubles().size() == 1);
    CHECK(scene.troubles()[0].kind == "source.failed");
    CHECK(scene.troubles()[0].subject == "project/demo");
    // Reports are made of rows.
    CHECK_THAT(first.message, Contains("<path>") && !Contains(scene.scratch.path().string()));
    CHECK_THAT(scene.troubles()[0].message, !Contains(scene.scratch.path().string()));

    std::filesystem::rename(hidden, scene.origin.folder());
    scene.supplies.clear();
    scene.add("demo", scene.origin.folder().string());
    const auto again = scene.ask(first.project, "second");
    CHECK(scene.play_until_ended(again).state == TriggerState::done);
    CHECK(scene.troubles().empty());
}

TEST_CASE("What fixed a regression is read in the project's repository", "[service][app]") {
    SupplyScene scene;
    const auto culprit = scene.origin.revision("main");
    scene.origin.commit("two");
    const auto first = scene.play_until_ended(scene.add("demo", scene.origin.folder().string()));
    scene.origin.commit("docs");
    const auto revert = scene.origin.commit("Go back\n\nThis reverts commit " + culprit.str());
    scene.origin.commit("more docs");
    scene.supplies.clear();
    scene.add("demo", scene.origin.folder().string());
    scene.play_until_ended(scene.ask(first.project, "second"));
    {
        auto db = Database::open_writer(scene.ledger());
        ensure_machine_class(db, "small");
        db.execute_script(
            "INSERT INTO series(id, project_id, benchmark, variant, machine_class_id, metric, "
            "definition, unit, direction, told, judging) SELECT 1, id, 'mlp', 'train', 1, "
            "'cpu_time_ns', 1, 'ns', "
            "'lower_is_better', 'lower_is_better', 'as_metric' FROM project;"
            "INSERT INTO suspicion(id, series_id, nightly_id, good_nightly_id, kind, state, base, "
            "value, change_ratio, reason, created_at_s) "
            "VALUES (1, 1, 1001, 1001, 'level', 'ended', 1, 2, 1, '', 1);"
            "INSERT INTO regression(id, project_id, nightly_id, state, good_build_id, "
            "bad_build_id, "
            "created_at_s, changed_at_s) SELECT 1, id, 1001, 'closed', 1, 1, 1, 1 FROM project;"
            "INSERT INTO regression_series(regression_id, series_id, suspicion_id, "
            "recovered_nightly_id) VALUES (1, 1, 1, 1002);"
            "INSERT INTO mending(regression_id, nightly_id, bad_nightly_id, state) "
            "VALUES (1, 1002, 1001, 'listing')");
        db.execute("UPDATE regression SET culprit = ?1, unreported = 0", culprit);
    }
    scene.supplies.clear();
    scene.add("demo", scene.origin.folder().string());
    scene.play_until([](Database& db) {
        return db.find<int>("SELECT 1 FROM mending WHERE state = 'told'").has_value();
    });
    auto db = Database::open_reader(scene.ledger());
    const auto told = *db.find<Fix>("SELECT told FROM mending");
    CHECK(told.unlisted == "");
    CHECK(told.by == history::FixedBy::revert);
    CHECK(told.revision == revert);
    CHECK(told.reverts == culprit);
    CHECK(told.line_commits == 3);
    // Its issue is written anew.
    CHECK(db.find<int>("SELECT 1 FROM regression WHERE unreported = 1"));
    const auto event =
        db.find<std::string>("SELECT message FROM event WHERE kind = 'regression.mended'");
    REQUIRE(event);
    CHECK_THAT(*event, Contains("reverted by " + revert.brief()));
}

TEST_CASE("A range that cannot be listed is told by its ends", "[service][app]") {
    SupplyScene scene;
    scene.play_until_ended(scene.add("demo", scene.origin.folder().string()));
    {
        auto db = Database::open_writer(scene.ledger());
        db.execute_script(
            "INSERT INTO regression(id, project_id, nightly_id, state, good_build_id, "
            "bad_build_id, "
            "created_at_s, changed_at_s) SELECT 1, id, 1001, 'reported', 1, 1, 1, 1 FROM project;"
            "INSERT INTO nightly(project_id, build_id, version, day, revision, state, message, "
            "created_at_s) SELECT project_id, build_id, 'x', 'x', 'ffffffffffffffffffffffffffffffff"
            "ffffffff', 'done', '', 1 FROM nightly;"
            "INSERT INTO mending(regression_id, nightly_id, bad_nightly_id, state) "
            "VALUES (1, 1001, 1002, 'listing')");
    }
    scene.supplies.clear();
    scene.add("demo", scene.origin.folder().string());
    scene.play_until([](Database& db) {
        return db.find<int>("SELECT 1 FROM mending WHERE state = 'listed'").has_value();
    });
    auto db = Database::open_reader(scene.ledger());
    const auto stored = *db.find<FixCommits>("SELECT commits FROM mending");
    CHECK_THAT(stored.unlisted, Contains("ffffffffff") && !Contains(scene.scratch.path().string()));
}

TEST_CASE("A revision asked for by name is held against the newest night", "[service][app]") {
    SupplyScene scene;
    const auto old = scene.origin.revision("main");
    scene.origin.commit("two");
    const auto first = scene.play_until_ended(scene.add("demo", scene.origin.folder().string()));
    const auto later = scene.origin.commit("three");
    scene.supplies.clear();
    scene.add("demo", scene.origin.folder().string());
    scene.ask(first.project, "older", old.str());
    const auto last = scene.ask(first.project, "later", later.str());
    REQUIRE(scene.play_until_ended(last).state == TriggerState::done);
    auto db = Database::open_reader(scene.ledger());
    const auto beside_of = [&](const Revision& revision) {
        return db
            .find<std::string>(
                "SELECT ifnull(beside, 'a night') FROM nightly WHERE revision = ?1", revision)
            .value_or("not here");
    };
    CHECK_THAT(beside_of(old), Contains("not newer than nightly 1"));
    CHECK(beside_of(later) == "a night");
}

TEST_CASE("A backfill gets its days from the branch, before its nights", "[service][app]") {
    SupplyScene scene;
    const auto repository = scene.origin.folder().string();
    const auto first = scene.play_until_ended(scene.add("demo", repository));
    scene.supplies.clear();
    {
        auto db = Database::open_writer(scene.ledger());
        const auto& demo = scene.config.now().projects.at("demo");
        request_backfill(db, demo, 30, 100, "somebody", 1);
    }
    scene.add("demo", repository);
    scene.play_until(
        [](Database& db) { return db.has("SELECT 1 FROM backfill WHERE state <> 'listing'"); });
    auto db = Database::open_reader(scene.ledger());
    CHECK(first.nightly == NightlyId{1001});  // earlier ones have their place before it
    CHECK(
        db.find<std::string>("SELECT state || ': ' || message FROM backfill") ==
        "failed: the project has nothing to measure in its matrix");
}

TEST_CASE("Suspects of a rewritten branch follow where the lines part", "[service][app]") {
    SupplyScene scene;
    const auto base = scene.origin.revision("main");
    scene.add("demo", scene.origin.folder().string());
    Repositories repositories(scene.config, ContentStore(scene.scratch / "state/content"), nullptr);
    const auto good = scene.origin.commit("to be rewritten");
    CHECK(repositories.suspects("demo", base, good).base == base);
    scene.origin.git("reset -q --hard " + base.str());
    const auto first = scene.origin.commit("rewritten");
    const auto bad = scene.origin.commit("and slower");
    const auto range = repositories.suspects("demo", good, bad);
    CHECK(range.base == base);
    REQUIRE(range.suspects.size() == 2);
    CHECK(range.suspects[0].revision == first);
    CHECK(range.suspects[1].revision == bad);
}

void play_until_listed(SupplyScene& scene) {
    scene.supplies.clear();
    scene.add("demo", scene.origin.folder().string());
    scene.play_until([](Database& db) {
        return !db.has("SELECT 1 FROM nightly WHERE commits = 'listing'") &&
               !db.has("SELECT 1 FROM trigger_request WHERE state = 'waiting'");
    });
}

TEST_CASE("A night's commits are listed in the project's repository", "[service][app]") {
    SupplyScene scene;
    const auto first = scene.play_until_ended(scene.add("demo", scene.origin.folder().string()));
    scene.origin.commit("</td><script>alert(1)</script>");
    scene.origin.git("checkout -q -b side");
    scene.origin.commit("aside");
    scene.origin.git("checkout -q main");
    scene.origin.git("merge -q --no-ff -m \"Bring it\" side");
    const auto last = scene.origin.commit("last");
    scene.ask(first.project, "second");
    play_until_listed(scene);

    auto db = Database::open_reader(scene.ledger());
    const auto night = *db.find<NightlyId>("SELECT id FROM nightly WHERE revision = ?1", last);
    const auto known = load_known_commits(db, night);
    CHECK(known.state == "listed");
    CHECK(known.count == 3);
    CHECK(known.since->id == *first.nightly);
    const auto commits = list_night_commits(db, night);
    REQUIRE(commits.size() == 3);
    CHECK(commits[0].subject == "</td><script>alert(1)</script>");
    CHECK(commits[1].subject == "Bring it");
    CHECK(commits[2].revision == last);
    CHECK(commits[2].author == "Author One");
    CHECK_THAT(load_known_commits(db, *first.nightly).none, Contains("first night"));
}

TEST_CASE("A branch that was rewritten gives a night no commits", "[service][app]") {
    SupplyScene scene;
    const auto base = scene.origin.revision("main");
    scene.origin.commit("to be rewritten");
    const auto first = scene.play_until_ended(scene.add("demo", scene.origin.folder().string()));
    scene.origin.git("reset -q --hard " + base.str());
    const auto last = scene.origin.commit("rewritten");
    scene.ask(first.project, "second", last.str());
    play_until_listed(scene);
    {
        auto db = Database::open_writer(scene.ledger());
        db.execute("UPDATE nightly SET beside = NULL");  // whatever it was taken for
    }
    play_until_listed(scene);
    auto db = Database::open_reader(scene.ledger());
    const auto night = *db.find<NightlyId>("SELECT id FROM nightly WHERE revision = ?1", last);
    CHECK_THAT(load_known_commits(db, night).none, Contains("rewritten"));
    CHECK(list_night_commits(db, night).empty());
}

TEST_CASE("A night before that is nowhere leaves the others their commits", "[service][app]") {
    SupplyScene scene;
    const auto first = scene.play_until_ended(scene.add("demo", scene.origin.folder().string()));
    scene.origin.commit("two");
    scene.ask(first.project, "second");
    play_until_listed(scene);
    {
        auto db = Database::open_writer(scene.ledger());
        db.execute("UPDATE nightly SET revision = ?1 WHERE id = 1001", std::string(40, 'f'));
        db.execute("UPDATE nightly SET commits = 'listing'");
    }
    scene.origin.commit("three");
    scene.ask(first.project, "third");
    play_until_listed(scene);
    auto db = Database::open_reader(scene.ledger());
    const auto lost = load_known_commits(db, NightlyId{1002});
    CHECK(lost.state == "none");
    CHECK_THAT(lost.none, Contains("ffffffffff") && !Contains(scene.scratch.path().string()));
    CHECK(load_known_commits(db, NightlyId{1003}).count == 1);
}

}  // namespace
}  // namespace vigil::service
