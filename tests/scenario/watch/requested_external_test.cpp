// What looks worse elsewhere is asked for there: A/B runs, whose answers the loop judges.

#include <map>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/wire/json.hpp"
#include "service/report/deliver/callbacks.hpp"
#include "service/schedule/leases.hpp"
#include "tests/scenario/watch/far_nights.hpp"

using namespace vigil;
using namespace vigil::service;
using namespace vigil::service::testing;

namespace {

/// Answers as machines would on which only the revision decides.
class FarMachines {
  public:
    FarMachines() {
        auto& far = nights.config.projects.at("far");
        far.source.callback.emplace();
        nights.on_round = [this](Database& db) { return step(db); };
    }

    /// Who measures does not answer: the time of a lease goes by.
    void be_silent() { mode_ = Mode::silent; }
    /// The address does not understand what it is asked.
    void refuse() { mode_ = Mode::refusing; }

    FarNights nights;
    int slow_from = 1000;  ///< day from which on it takes 1.3 times as long
    int slow_until = 1000;
    int questions = 0;
    int runs = 0;

  private:
    enum class Mode { answering, silent, refusing };

    Moment now() const { return {nights.now_s, steady_s_}; }

    bool step(Database& db) {
        const auto& config = nights.config;
        lease_external(db, config, now());
        bool moved = false;
        for (const auto& due : take_due_callbacks(db, config, now())) {
            moved = true;
            ++questions;
            if (mode_ == Mode::refusing) {
                SendReply reply = later("it answered 400");
                reply.outcome = SendOutcome::refused;
                finish_callback(db, config, due, reply, now());
                continue;
            }
            finish_callback(db, config, due, sent(""), now());
            if (mode_ == Mode::answering) answer(db, due);
        }
        if (mode_ == Mode::silent) {
            steady_s_ += config.projects.at("far").source.callback->answer_within_s + 1;
            moved = expire_leases(db, config.jobs, now()) > 0 || moved;
        }
        return moved;
    }

    void answer(Database& db, const DueCallback& due) {
        const auto question = wire::parse_json(due.body, "the question");
        SentAnswer sent;
        sent.attempt = question.at("attempt").get<int>();
        for (const auto& run : question.at("runs")) {
            const auto revision = run.at("revision").get<std::string>();
            const int day = std::stoi(revision.substr(32), nullptr, 16) - 1;
            const bool slow = day >= slow_from && day < slow_until;
            const double noise = 1 + 0.002 * (runs * 7 % 5 - 2);
            sent.runs.push_back(
                {run.at("run").get<int>(),
                 nights.night(day, (slow ? 1.3e6 : 1e6) * noise).readings,
                 ""});
            ++runs;
        }
        sent.digest = wire::sha256(due.body);
        const JobId job{question.at("job").get<std::int64_t>()};
        NightTaker taker(nights.config.projects.at("far"));
        const auto taken = taker.answer(db, nights.config.jobs, job, sent, nights.now_s);
        CHECK(taken.passed == static_cast<int>(sent.runs.size()));
        CHECK(taker.answer(db, nights.config.jobs, job, sent, nights.now_s).is_again);
    }

    Mode mode_ = Mode::answering;
    std::int64_t steady_s_ = 1000;
};

}  // namespace

TEST_CASE("What was asked for elsewhere confirms a change, and it is filed", "[watch][elsewhere]") {
    FarMachines far;
    far.slow_from = 12;
    auto& nights = far.nights;
    nights.nights(0, 12, 1e6);
    CHECK(far.questions == 0);
    nights.nights(12, 14, 1.3e6);
    CHECK(far.runs >= 8);
    CHECK(nights.count("suspicion WHERE verdict = 'regression'") == 1);
    CHECK(nights.text("SELECT state FROM regression") == "reported");
    CHECK(nights.count("bisection") == 0);
    const auto title = nights.text("SELECT title FROM report WHERE kind = 'regression'");
    CHECK(title.find("not confirmed") == std::string::npos);
    CHECK(
        nights.text("SELECT body FROM report WHERE kind = 'regression'")
            .find("single revisions cannot be built") != std::string::npos);
    CHECK(nights.count("nightly WHERE state <> 'done'") == 0);
    CHECK(nights.count("callback WHERE state <> 'sent'") == 0);

    // And that it is back is measured, too.
    far.slow_until = 14;
    nights.nights(14, 20, 1e6);
    CHECK(nights.text("SELECT state FROM regression") == "closed");
    CHECK(nights.count("suspicion WHERE verdict = 'fixed' AND session_id IS NOT NULL") == 1);
}

TEST_CASE("A night's bad luck elsewhere is noise", "[watch][elsewhere]") {
    FarMachines far;
    auto& nights = far.nights;
    nights.config.projects.at("far").source.file_unconfirmed = true;
    nights.nights(0, 12, 1e6);
    nights.nights(12, 13, 1.3e6);  // its builds are as fast as ever
    CHECK(far.runs > 0);
    CHECK(nights.count("regression") == 0);
    CHECK(nights.count("suspicion WHERE verdict = 'unconfirmed'") == 0);
    CHECK(nights.count("nightly WHERE state <> 'done'") == 0);
}

TEST_CASE("Nobody answers: it is not confirmed, and the nights go on", "[watch][elsewhere]") {
    FarMachines far;
    auto& nights = far.nights;
    if (GENERATE(true, false)) {
        far.be_silent();
    } else {
        far.refuse();
    }
    nights.nights(0, 12, 1e6);
    nights.nights(12, 14, 1.3e6);
    CHECK(far.questions == nights.config.jobs.max_lost_attempts);
    CHECK(nights.text("SELECT verdict FROM suspicion") == "unconfirmed");
    CHECK(
        nights.text("SELECT reason FROM suspicion").find("gave no pair of values") !=
        std::string::npos);
    CHECK(nights.count("regression") == 0);
    CHECK(nights.count("nightly WHERE state <> 'done'") == 0);
    CHECK(nights.count("job WHERE state IN ('queued', 'leased')") == 0);
}

TEST_CASE("A question that the daemon's end cut is asked again at once", "[watch][elsewhere]") {
    FarMachines far;
    auto& nights = far.nights;
    nights.nights(0, 12, 1e6);
    int again = 0;
    nights.on_round = [&](Database& db) {
        const Moment now{nights.now_s, 1000};
        lease_external(db, nights.config, now);
        const auto cut = take_due_callbacks(db, nights.config, now);
        for (const auto& one : cut) CHECK(one.row.tries == 1);
        CHECK(take_due_callbacks(db, nights.config, now).empty());
        CHECK(resume_callbacks(db, now) == static_cast<int>(cut.size()));
        for (const auto& one : take_due_callbacks(db, nights.config, now)) {
            ++again;
            CHECK(one.row.tries == 1);  // that it was cut says nothing of who is asked
            finish_callback(db, nights.config, one, sent(""), now);
        }
        CHECK(resume_callbacks(db, now) == 0);
        return false;
    };
    nights.nights(12, 13, 1.3e6);
    CHECK(again > 0);
}

TEST_CASE("An answer is of the runs that were asked for", "[watch][elsewhere]") {
    FarMachines far;
    far.slow_from = 12;
    auto& nights = far.nights;
    nights.nights(0, 12, 1e6);
    int refused = 0;
    nights.on_round = [&](Database& db) {
        lease_external(db, nights.config, {nights.now_s, 1000});
        const auto due = take_due_callbacks(db, nights.config, {nights.now_s, 1000});
        for (const auto& one : due) {
            NightTaker taker(nights.config.projects.at("far"));
            const auto refuse = [&](SentAnswer sent, const char* why) {
                CHECK_THROWS_WITH(
                    taker.answer(db, nights.config.jobs, one.row.job, sent, nights.now_s),
                    Catch::Contains(why));
                ++refused;
            };
            const SentRun good{0, nights.night(12, 1e6).readings, ""};
            refuse({.attempt = one.row.attempt + 1, .runs = {good}}, "is over, or never was");
            refuse({.attempt = one.row.attempt, .runs = {good}}, "run 1 is missing");
            refuse({.attempt = one.row.attempt, .runs = {good, good}}, "answered once");
            SentRun beyond = good;
            beyond.run = 99;
            refuse({.attempt = one.row.attempt, .runs = {beyond}}, "answered once");
            const SentAnswer nothing{
                .attempt = one.row.attempt,
                .failure = "no runner is free",
                .digest = wire::sha256("x")};
            taker.answer(db, nights.config.jobs, one.row.job, nothing, nights.now_s);
            refuse(nothing, "is over");
        }
        return !due.empty();
    };
    nights.nights(12, 13, 1.3e6);
    CHECK(refused == 5 * nights.config.jobs.max_lost_attempts);
    CHECK(nights.text("SELECT verdict FROM suspicion") == "unconfirmed");
}

TEST_CASE(
    "A callback that is taken out of the config ends what it was asked", "[watch][elsewhere]") {
    FarMachines far;
    far.slow_from = 12;
    auto& nights = far.nights;
    nights.nights(0, 12, 1e6);
    nights.on_round = [&](Database& db) {
        return lease_external(db, nights.config, {nights.now_s, 1000}) > 0;  // and no answer
    };
    nights.nights(12, 13, 1.3e6);
    CHECK(nights.count("nightly WHERE state = 'confirming'") == 1);
    nights.config.projects.at("far").source.callback.reset();
    nights.judge();
    CHECK(nights.text("SELECT verdict FROM suspicion") == "unconfirmed");
    CHECK(nights.count("nightly WHERE state <> 'done'") == 0);
    CHECK(nights.count("session WHERE state = 'open'") == 0);
}
