#include "service/app/event_log.hpp"

#include <catch2/catch.hpp>

#include "service/store/events.hpp"
#include "service/store/migrate.hpp"
#include "service/store/troubles.hpp"
#include "tests/support/logged.hpp"

namespace vigil::service {
namespace {

TEST_CASE("What is wrong is one line of the log, whichever kind it is of", "[service][app]") {
    auto db = Database::open_writer(":memory:");
    migrate(db);
    EventLog log;
    log.tell_new(db);
    const std::string lines = test::logged([&] {
        for (const auto* kind : {"worker.quarantined", "night.late", "source.failed"}) {
            note_trouble(db, {.kind = kind, .subject = "a/1", .project = {}, .message = "why"}, 5);
            note_trouble(db, {.kind = kind, .subject = "a/1", .project = {}, .message = "why"}, 6);
        }
        record_event(db, 5, "worker.quarantined", std::nullopt, "a/2", "no trouble of its own");
        log.tell_new(db);
        log.tell_new(db);
    });
    CHECK(
        lines ==
        "worker.quarantined subject=a/1 message=why\n"
        "night.late subject=a/1 message=why\n"
        "source.failed subject=a/1 message=why\n"
        "worker.quarantined project=- subject=a/2 message=\"no trouble of its own\"\n");
}

}  // namespace
}  // namespace vigil::service
