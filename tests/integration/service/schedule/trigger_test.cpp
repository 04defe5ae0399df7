#include "service/schedule/trigger.hpp"

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "service/store/ids.hpp"
#include "service/store/migrate.hpp"

namespace vigil::service {
namespace {

struct TriggerLedger {
    Database db = Database::open_writer(":memory:");
    ProjectId project;

    TriggerLedger() {
        migrate(db);
        project = ensure_project(db, "demo", 1);
    }
    TriggerId ask(std::string_view key, std::optional<std::string> wanted = std::nullopt) {
        return request_nightly(db, project, TriggerCause::request, key, wanted, 100);
    }
    std::int64_t events(std::string_view kind) {
        return db.find<std::int64_t>("SELECT count(*) FROM event WHERE kind = ?1", kind).value();
    }
};

Errc code_of(const auto& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.code();
    }
    FAIL("no error was thrown");
    return Errc::internal;
}

TEST_CASE("The same key asks for a nightly once", "[service][schedule]") {
    TriggerLedger ledger;
    const auto first = ledger.ask("request:a");
    CHECK(ledger.ask("request:a") == first);
    CHECK(ledger.ask("request:b") != first);
    CHECK(list_waiting_triggers(ledger.db).size() == 2);
    CHECK(ledger.events("trigger.requested") == 2);
}

TEST_CASE("Pushes that come together are one nightly, the newest", "[service][schedule]") {
    TriggerLedger ledger;
    auto& db = ledger.db;
    const auto push = [&](const std::string& id, std::int64_t at_s) {
        db.execute(
            "INSERT INTO delivery(external_id, event, body_digest, body, state, message, "
            "received_at_s) VALUES (?1, 'push', 'd', x'00', 'acted', 'push to main', ?2)",
            id,
            at_s);
        return request_nightly(
            db, ledger.project, TriggerCause::delivery, "delivery:" + id, {}, at_s);
    };
    push("a", 100);
    push("b", 102);
    const auto request = ledger.ask("request:a");
    CHECK(take_due_triggers(db, 10, 103).size() == 1);  // what a person asks for does not wait
    CHECK(take_due_triggers(db, 10, 109).at(0).id == request);
    const auto third = push("c", 109);
    const auto due = take_due_triggers(db, 10, 110);
    REQUIRE(due.size() == 2);
    CHECK(due[0].id == request);
    CHECK(due[1].id == third);
    for (const auto* older : {"delivery:a", "delivery:b"}) {
        const auto joined = find_trigger(db, ledger.project, older);
        REQUIRE(joined);
        CHECK(joined->state == TriggerState::done);
        CHECK(joined->message == "joined with trigger 4: a newer push came");
    }
    CHECK(ledger.events("trigger.joined") == 2);
    CHECK(
        db.find<int>(
            "SELECT count(*) FROM delivery WHERE message LIKE '%joined with trigger 4%'") == 2);
    CHECK(take_due_triggers(db, 10, 119).size() == 2);  // nothing is joined twice
    CHECK(ledger.events("trigger.joined") == 2);
}

TEST_CASE("Pushes without end still become nightlies", "[service][schedule]") {
    TriggerLedger ledger;
    int nightlies = 0;
    for (int second = 0; second < 60; ++second) {
        request_nightly(
            ledger.db,
            ledger.project,
            TriggerCause::delivery,
            "delivery:" + std::to_string(second),
            {},
            second);
        for (const auto& due : take_due_triggers(ledger.db, 10, second)) {
            end_trigger(ledger.db, due.id, {.message = "looked at"}, second);
            ++nightlies;
        }
    }
    CHECK(nightlies == 5);
}

TEST_CASE("A key of one project is free for another", "[service][schedule]") {
    TriggerLedger ledger;
    const auto other = ensure_project(ledger.db, "other", 1);
    const auto first = ledger.ask("k");
    CHECK(request_nightly(ledger.db, other, TriggerCause::request, "k", {}, 1) != first);
}

TEST_CASE("A used key cannot ask for something else", "[service][schedule]") {
    TriggerLedger ledger;
    ledger.ask("request:a", "1.0");
    CHECK(code_of([&] { ledger.ask("request:a", "2.0"); }) == Errc::conflict);
    CHECK(code_of([&] { ledger.ask("request:a"); }) == Errc::conflict);
    CHECK(list_waiting_triggers(ledger.db).size() == 1);
}

TEST_CASE("Keys and wishes of a strange length are refused", "[service][schedule]") {
    TriggerLedger ledger;
    CHECK(code_of([&] { ledger.ask(""); }) == Errc::invalid_argument);
    CHECK(code_of([&] { ledger.ask(std::string(201, 'x')); }) == Errc::invalid_argument);
    CHECK(code_of([&] { ledger.ask("a", ""); }) == Errc::invalid_argument);
    CHECK(code_of([&] { ledger.ask("a", std::string(201, 'x')); }) == Errc::invalid_argument);
    CHECK(list_waiting_triggers(ledger.db).empty());
}

TEST_CASE("Waiting triggers come oldest first and within the limit", "[service][schedule]") {
    TriggerLedger ledger;
    const auto first = ledger.ask("1");
    const auto second = ledger.ask("2");
    ledger.ask("3");
    const auto waiting = list_waiting_triggers(ledger.db, 2);
    REQUIRE(waiting.size() == 2);
    CHECK(waiting[0].id == first);
    CHECK(waiting[1].id == second);
}

TEST_CASE("A trigger ends once, and remembers how", "[service][schedule]") {
    TriggerLedger ledger;
    const auto done = ledger.ask("1", "1.0");
    const auto failed = ledger.ask("2");
    CHECK(end_trigger(ledger.db, done, {.message = "nothing new"}, 200));
    CHECK(end_trigger(ledger.db, failed, {TriggerState::failed, "the repository is gone"}, 300));
    CHECK_FALSE(end_trigger(ledger.db, done, {TriggerState::failed, "again"}, 400));
    CHECK_FALSE(end_trigger(ledger.db, TriggerId{99}, {.message = "none"}, 400));
    CHECK(list_waiting_triggers(ledger.db).empty());

    const auto one = find_trigger(ledger.db, ledger.project, "1");
    REQUIRE(one);
    CHECK(one->state == TriggerState::done);
    CHECK(one->wanted == "1.0");
    CHECK(one->message == "nothing new");
    CHECK(one->ended_at_s == 200);
    const auto other = find_trigger(ledger.db, ledger.project, "2");
    REQUIRE(other);
    CHECK(other->state == TriggerState::failed);
    CHECK(other->message == "the repository is gone");
    CHECK(ledger.events("trigger.done") == 1);
    CHECK(ledger.events("trigger.failed") == 1);
    CHECK(ledger.ask("2") == failed);  // asking again with the key does not revive it
    CHECK(list_waiting_triggers(ledger.db).empty());
}

}  // namespace
}  // namespace vigil::service
