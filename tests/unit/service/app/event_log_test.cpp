#include "service/app/event_log.hpp"

#include <catch2/catch.hpp>

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
          "build.failed"}) {
        CAPTURE(kind);
        CHECK(is_told(kind));
    }
    for (const auto* kind :
         {"job.queued", "job.leased", "job.done", "suspicion.opened", "bisection.probe"}) {
        CAPTURE(kind);
        CHECK_FALSE(is_told(kind));
    }
}

TEST_CASE("What a trouble has logged is not logged again", "[service][app]") {
    for (const auto* kind :
         {"night.late",
          "nightly.set_aside",
          "nightly.unbuildable",
          "report.undelivered",
          "schedule.failed",
          "source.failed",
          "class.no_workers"}) {
        CAPTURE(kind);
        CHECK_FALSE(is_told(kind));
    }
}
