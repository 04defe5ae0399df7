#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <string>

#include <fmt/format.h>

#include "service/report/deliver/outbox.hpp"
#include "service/report/report_step.hpp"
#include "service/report/send/deliverer.hpp"
#include "service/report/send/github_tracker.hpp"
#include "tests/integration/service/report/ledger.hpp"
#include "tests/support/issue_board.hpp"

namespace vigil::service {

inline constexpr std::int64_t start_ms = std::int64_t{1'795'229'100} * 1000;

/// A ledger with many reports for two targets on one board, on a clock that the test moves.
struct Office : Ledger {
    explicit Office(int count) : reports(count), board([this] { return clock_ms.load(); }) {
        db.execute_script("PRAGMA synchronous = OFF");  // no power fails here
        const std::string token = (folder.path() / "token").string();
        std::ofstream(token) << "secret\n";
        for (const char* name : {"issues", "more"}) {
            ReportTarget& target = config.report_targets[name];
            target.name = name;
            target.kind = TargetKind::issues;
            target.repository = "owner/name";
            target.base_url = board.url();
            target.token_file = token;
        }
        db.execute("DELETE FROM outbox");
        for (int i = 0; i < reports; ++i) {
            db.execute(
                "INSERT INTO regression (project_id, nightly_id, good_build_id, bad_build_id, "
                "state, created_at_s, changed_at_s) SELECT project_id, nightly_id, good_build_id, "
                "bad_build_id, 'reported', created_at_s, changed_at_s FROM regression WHERE id = "
                "1");
            write(RegressionId{db.last_insert_id()}, i % 2 == 0 ? "issues" : "more");
        }
    }

    std::string body_of(RegressionId regression, int version) {
        return fmt::format(
            "report {} version {}\n\n{}\n",
            regression.value,
            version,
            load_marker(db, {.regression = regression}).line);
    }

    /// Stores the next version of its report.
    void write(RegressionId regression, const std::string& target) {
        const int version =
            1 + count(fmt::format("report WHERE regression_id = {}", regression.value));
        const Document document{
            fmt::format("report {}", regression.value), body_of(regression, version)};
        const ReportSubject subject{.project = ProjectId{1}, .regression = regression};
        add_report(db, subject, document, {target}, clock_ms / 1000);
    }

    Moment moment() const {
        const std::int64_t ms = clock_ms;
        return {ms / 1000, ms / 1000, ms};
    }

    Deliverer deliverer() {
        return Deliverer(
            config, std::cout, [this](TrackerSession& session, const ReportTarget& target) {
                return std::make_unique<GithubTracker>(
                    session, target, [this] { return clock_ms / 1000; });
            });
    }

    void pass(std::int64_t most_ms) { clock_ms += std::int64_t(random() % unsigned(most_ms + 1)); }

    /// Plays until the outbox is empty; of all deliveries the given share is cut off by a kill.
    /// @return  how many kills
    int play(double kill_share) {
        int kills = 0;
        std::int64_t idle_ms = 0;
        std::optional<Deliverer> all(deliverer());
        for (;;) {
            const std::int64_t due_s = next_due_s();
            if (due_s == std::numeric_limits<std::int64_t>::max()) return kills;
            clock_ms = std::max<std::int64_t>(clock_ms, due_s * 1000);
            const auto due = take_due(db, config, moment());
            // A tracker that wants to be left alone may want it for hours.
            idle_ms = due.empty() ? std::clamp<std::int64_t>(2 * idle_ms, 250, 60'000) : 0;
            clock_ms += idle_ms;
            for (const auto& delivery : due) {
                const double drawn = double(random() % 10'000) / 10'000;
                if (drawn < kill_share / 2) break;  // it had begun, and nothing was sent
                pass(2500);
                const auto reply = all->deliver(delivery.envelope, clock_ms / 1000);
                pass(900);
                if (drawn < kill_share) break;  // it was sent, and nobody wrote it down
                finish_delivery(db, delivery, reply, moment());
            }
            if (count("outbox WHERE in_flight") == 0) continue;
            ++kills;
            board.forget_wait();
            pass(20'000);
            all.emplace(deliverer());
            resume_outbox(db, moment());
        }
    }

    int given_up() { return count("outbox WHERE state = 'dead' AND message NOT LIKE 'replaced%'"); }

    const int reports;
    std::atomic<std::int64_t> clock_ms{start_ms};
    std::mt19937 random{7};
    test::IssueBoard board;
};

}  // namespace vigil::service
