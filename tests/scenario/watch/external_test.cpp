// Nights that were measured elsewhere: judged like others, and never measured again.

#include <string>

#include <catch2/catch.hpp>

#include "tests/scenario/watch/far_nights.hpp"

using namespace vigil;
using namespace vigil::service;
using namespace vigil::service::testing;

TEST_CASE("A change elsewhere is told, and not confirmed", "[watch][elsewhere]") {
    FarNights far;
    far.nights(0, 12, 1e6);
    CHECK(far.count("suspicion") == 0);
    far.nights(12, 15, 1.3e6);
    CHECK(far.count("suspicion") == 1);
    CHECK(far.text("SELECT verdict FROM suspicion") == "unconfirmed");
    CHECK(
        far.text("SELECT reason FROM suspicion").find("not confirmed: cannot be measured here") !=
        std::string::npos);
    CHECK(far.count("job WHERE state <> 'done'") == 0);
    CHECK(far.count("session") == 0);
    CHECK(far.count("regression") == 0);
    CHECK(far.count("nightly WHERE state <> 'done'") == 0);
}

TEST_CASE("A project may want what is not confirmed filed", "[watch][elsewhere]") {
    FarNights far;
    far.config.projects.at("far").source.file_unconfirmed = true;
    far.nights(0, 12, 1e6);
    far.nights(12, 14, 1.3e6);
    CHECK(far.text("SELECT state FROM regression") == "reported");
    CHECK(far.count("bisection") == 0);
    CHECK(
        far.text("SELECT title FROM report WHERE kind = 'regression'").find("not confirmed") !=
        std::string::npos);
    CHECK(
        far.text("SELECT body FROM report WHERE kind = 'regression'")
            .find("cannot be measured here") != std::string::npos);
    far.nights(14, 20, 1e6);
    CHECK(far.text("SELECT state FROM regression") == "closed");
}

TEST_CASE("What no longer runs elsewhere is filed like what is slow", "[watch][elsewhere]") {
    FarNights far;
    far.config.projects.at("far").source.file_unconfirmed = true;
    far.nights(0, 12, 1e6);
    auto failed = far.night(12, 1e6);
    failed.readings[0].samples.clear();
    failed.readings[0].failure = "fail_accuracy";
    far.take(failed);
    far.judge();
    CHECK(far.text("SELECT verdict FROM suspicion") == "unconfirmed");
    CHECK(far.text("SELECT state FROM regression") == "reported");
    const auto title = far.text("SELECT title FROM report WHERE kind = 'regression'");
    CHECK(title.find("no longer works") != std::string::npos);
    CHECK(title.find("not confirmed") != std::string::npos);
    const auto body = far.text("SELECT body FROM report WHERE kind = 'regression'");
    CAPTURE(body);
    CHECK(body.find("fail\\_accuracy") != std::string::npos);
    far.nights(13, 20, 1e6);
    CHECK(far.text("SELECT state FROM regression") == "closed");
}

TEST_CASE("A night waits until nothing more comes, or its sender closes it", "[watch][elsewhere]") {
    FarNights far;
    far.take(far.night(0, 1e6));
    far.now_s -= far.config.projects.at("far").source.settle_s + 1;
    far.judge();
    CHECK(far.count("nightly WHERE state = 'measuring'") == 1);
    auto closing = far.night(0, 2e6, "scan");
    closing.closes = true;
    far.take(closing);
    far.now_s -= far.config.projects.at("far").source.settle_s + 1;
    far.judge();
    CHECK(far.count("nightly WHERE state = 'done'") == 1);
    CHECK(far.count("nightly") == 1);
}

TEST_CASE("An older night is history, and tonight is held against it", "[watch][elsewhere]") {
    FarNights far;
    far.nights(30, 31, 1.3e6);
    for (int day = 0; day < 30; ++day) {
        CHECK(far.take(far.night(day, 1e6 * (1 + 0.001 * (day % 3)))).state == NightlyState::done);
    }
    CHECK(far.count("stale_record") == 1);
    far.judge();
    CHECK(far.count("stale_record") == 0);
    CHECK(far.count("suspicion") == 0);
    CHECK(far.count("report WHERE kind = 'night'") == 1);
    far.nights(31, 32, 1.8e6);
    CHECK(far.count("suspicion WHERE verdict = 'unconfirmed'") == 1);
    // What comes for a night that was judged counts, and opens nothing.
    far.take(far.night(31, 9e6, "late"));
    far.judge();
    CHECK(far.count("suspicion") == 1);
}

TEST_CASE("The same night twice is one, and times make the order", "[watch][elsewhere]") {
    FarNights far;
    const auto sent = far.night(3, 1e6);
    const auto taken = far.take(sent);
    CHECK_FALSE(taken.is_again);
    CHECK(far.take(sent).is_again);
    auto same_second = far.night(4, 1e6);
    same_second.time_s = sent.time_s;
    CHECK(far.take(same_second).id.value == taken.id.value + 1);
    CHECK(far.text("SELECT name FROM nightly ORDER BY id DESC") == "2026-01-04.2");
    CHECK(far.take(far.night(1, 1e6)).id < taken.id);
}

TEST_CASE("Names that change with every night do not fill the ledger", "[watch][elsewhere]") {
    FarNights far;
    auto sent = far.night(0, 1e6);
    const auto reading = sent.readings.front();
    for (int i = 0; i < 20; ++i) {
        sent.readings.push_back(reading);
        sent.readings.back().benchmark += std::to_string(i);
    }
    far.take(sent);
    CHECK(far.count("series") == 21);
    sent = far.night(1, 1e6);
    sent.readings.front().unit = "us";
    far.take(sent);
    CHECK(far.count("series") == 21);
    CHECK(
        far.text("SELECT reason FROM unjudged_measurement") ==
        "it is in 'us', and its series in 'ns'");
}
