#include "service/store/nights/night_commits.hpp"

#include <catch2/catch.hpp>

#include "service/store/ids.hpp"
#include "service/store/migrate.hpp"
#include "service/store/nights/nightlies.hpp"

namespace vigil::service {
namespace {

Revision hash_of(char digit) {
    return Revision(std::string(40, digit));
}

struct NightLedger {
    Database db = Database::open_writer(":memory:");
    ProjectId project;
    NightLedger() {
        migrate(db);
        project = ensure_project(db, "demo", 1);
    }

    NightlyId add(char digit, std::int64_t id, bool is_night = true) {
        db.execute(
            "INSERT INTO build (project_id, revision, input_kind, created_at_s) "
            "VALUES (?1, ?2, 'source_tree', 1)",
            project,
            hash_of(digit));
        const BuildId build{db.last_insert_id()};
        const auto beside = is_night ? std::nullopt : std::optional<std::string>("older");
        const NewNightly night{
            project, build, std::string(1, digit), "2024-01-02", hash_of(digit), beside};
        return add_nightly_at(db, night, NightlyId{id}, 1);
    }

    std::vector<UnlistedNight> unlisted() { return list_unlisted_nights(db, project, 10); }
};

NightCommits some_commits(int count) {
    NightCommits commits;
    commits.count = count;
    for (int i = 0; i < count; ++i) {
        commits.commits.push_back({hash_of('f'), "subject " + std::to_string(i), "Author Two", i});
    }
    return commits;
}

TEST_CASE("A night's commits are asked for until they are here", "[service][store]") {
    NightLedger ledger;
    const auto first = ledger.add('a', 10);
    const auto second = ledger.add('b', 20);
    ledger.add('c', 15, false);
    const auto asked = ledger.unlisted();
    REQUIRE(asked.size() == 2);
    CHECK(asked[0].night == second);
    CHECK(asked[0].revision == hash_of('b'));
    CHECK(asked[0].since == first);
    CHECK(asked[0].since_revision == hash_of('a'));
    CHECK(asked[1].night == first);
    CHECK_FALSE(asked[1].since);

    record_night_commits(ledger.db, asked[0], some_commits(3));
    record_night_commits(ledger.db, asked[1], {0, {}, "it is the first"});
    CHECK(ledger.unlisted().empty());
    const auto known = load_known_commits(ledger.db, second);
    CHECK(known.state == "listed");
    CHECK(known.count == 3);
    REQUIRE(known.since);
    CHECK(known.since->id == first);
    const auto commits = list_night_commits(ledger.db, second);
    REQUIRE(commits.size() == 3);
    CHECK(commits[2].subject == "subject 2");
    CHECK(load_known_commits(ledger.db, first).state == "none");
    CHECK(load_known_commits(ledger.db, first).none == "it is the first");
}

TEST_CASE("A night that comes in between has the next one listed anew", "[service][store]") {
    NightLedger ledger;
    ledger.add('a', 10);
    const auto last = ledger.add('c', 30);
    const auto asked = ledger.unlisted();
    const auto between = ledger.add('b', 20);
    // What was listed meanwhile is since another night.
    record_night_commits(ledger.db, asked[0], some_commits(3));
    CHECK(load_known_commits(ledger.db, last).state == "listing");
    for (const auto& night : ledger.unlisted()) {
        record_night_commits(ledger.db, night, some_commits(2));
    }
    CHECK(load_known_commits(ledger.db, last).since->id == between);
    CHECK(list_night_commits(ledger.db, last).size() == 2);
    ledger.add('d', 25);
    REQUIRE(ledger.unlisted().size() == 2);
    CHECK(ledger.unlisted()[0].night == last);
}

TEST_CASE("A night whose row cannot be read is told, and stops no other", "[service][store]") {
    NightLedger ledger;
    ledger.add('a', 10);
    ledger.add('b', 20);
    ledger.db.execute("UPDATE nightly SET revision = 'x' WHERE id = 20");
    const auto asked = ledger.unlisted();
    REQUIRE(asked.size() == 2);
    CHECK_FALSE(asked[0].unreadable.empty());
    CHECK(asked[1].unreadable.empty());
}

}  // namespace
}  // namespace vigil::service
