#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <limits>
#include <memory>
#include <string>

#include "service/report/deliver/outbox.hpp"
#include "service/report/report_step.hpp"
#include "service/report/send/deliverer.hpp"
#include "service/report/send/github_tracker.hpp"
#include "tests/integration/service/report/ledger.hpp"
#include "tests/support/issue_board.hpp"

namespace vigil::service {

/// A ledger with a stored report, a tracker on a socket, and time that a test moves.
struct Post : Ledger {
    Post() {
        const std::string token = (folder.path() / "token").string();
        std::ofstream(token) << "secret\n";
        config.report_targets["issues"].base_url = board.url();
        config.report_targets["issues"].token_file = token;
        report_step(db, config, now_s);
    }

    Deliverer deliverer() {
        return Deliverer(
            config, std::cout, [this](TrackerSession& session, const ReportTarget& target) {
                auto tracker =
                    std::make_unique<GithubTracker>(session, target, [this] { return now_s; });
                tracker->set_timeout_ms(250);
                return tracker;
            });
    }

    /// Delivers until the outbox is empty or `rounds` are over, moving time to what is due next.
    int deliver_all(int rounds = 200) {
        auto all = deliverer();
        int round = 0;
        for (; round < rounds; ++round) {
            const std::int64_t due_s = next_due_s();
            if (due_s == std::numeric_limits<std::int64_t>::max()) break;
            now_s = std::max(now_s, due_s);
            clock_ms = now_s * 1000;
            const auto due = take_due(db, config, now_s);
            if (due.empty()) now_s = std::max(now_s + 1, held_until_s());  // the pace, or a circuit
            for (const auto& delivery : due) {
                const auto reply = all.deliver(delivery.envelope, now_s);
                finish_delivery(db, delivery, reply, now_s);
            }
        }
        return round;
    }

    void change(const std::string& state) {
        now_s += 60;
        db.execute(
            "UPDATE regression SET state = ?1, ended_as = iif(?1 = 'closed', 'recovered', NULL), "
            "changed_at_s = ?2",
            state,
            now_s);
        report_step(db, config, now_s);
    }

    std::atomic<std::int64_t> clock_ms{0};
    test::IssueBoard board{[this] { return clock_ms.load(); }};
};

}  // namespace vigil::service
