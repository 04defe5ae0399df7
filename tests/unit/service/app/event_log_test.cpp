#include "service/app/event_log.hpp"

#include <catch2/catch.hpp>

#include "schema/model/told_events.hpp"

using namespace vigil;
using namespace vigil::service;

TEST_CASE("The log tells what came of a night, not every job", "[service][app]") {
    for (const auto* kind :
         {"nightly.new",
          "nightly.done",
          "nightly.failed",
          "suspicion.regression",
          "regression.reported",
          "report.sent",
          "report.given_up",
          "delivery.acted",
          "trigger.joined",
          "trigger.failed",
          "pull.done",
          "notice.given_up",
          "build.failed"}) {
        CAPTURE(kind);
        CHECK(is_reported(kind));
    }
    for (const auto* kind :
         {"job.queued",
          "job.leased",
          "job.done",
          "suspicion.opened",
          "nightly.part_failed",
          "notice.sent",
          "source.failed"}) {
        CAPTURE(kind);
        CHECK_FALSE(is_reported(kind));
    }
}
