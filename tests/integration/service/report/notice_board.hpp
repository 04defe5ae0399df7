#pragma once

#include <atomic>
#include <cstdint>
#include <fstream>
#include <random>
#include <string>

#include "service/report/deliver/notices.hpp"
#include "service/report/send/tracker_session.hpp"
#include "service/store/reports/tracker.hpp"
#include "tests/integration/service/report/ledger.hpp"
#include "tests/support/issue_board.hpp"

namespace vigil::service {

/// A pull request with the number 7, and time that a test moves.
struct NoticeBoard : Ledger {
    NoticeBoard() {
        const std::string token = (folder.path() / "token").string();
        std::ofstream(token) << "secret\n";
        config.report_targets["issues"].base_url = board.url();
        config.report_targets["issues"].token_file = token;
        board.add_pull(
            test::BoardPull{.number = 7, .head = full_hash('4'), .base = full_hash('0')});
    }

    void comment(const std::string& body) {
        put_notice(db, {"issues", "pull/7", 7, "", "", "", body}, now_s);
    }
    void check(const std::string& status, const std::string& title) {
        const auto head = full_hash('4');
        put_notice(
            db, {"issues", "check/" + head, 7, head, status, title, title + " in full\n"}, now_s);
    }

    /// Until nothing is due for ten minutes. @return  how many attempts
    int write_all() {
        int attempts = 0;
        for (int second = 0; second < 600; ++second, ++now_s) {
            clock_ms = now_s * 1000;
            for (const auto& one : take_due_notices(db, config, Moment(now_s))) {
                ++attempts;
                finish_notice(db, config, one, send_notice(session, one, now_s), Moment(now_s));
            }
        }
        return attempts;
    }

    /// Half an hour, with the looks for twins. @return  how many looks
    int look_all() {
        int looks = 0;
        for (int second = 0; second < 1800; ++second, ++now_s) {
            clock_ms = now_s * 1000;
            for (const auto& one : take_due_twins(db, config, Moment(now_s))) {
                ++looks;
                finish_twin(db, one, end_notice_twin(session, one, now_s), Moment(now_s));
            }
            for (const auto& one : take_due_notices(db, config, Moment(now_s))) {
                finish_notice(db, config, one, send_notice(session, one, now_s), Moment(now_s));
            }
        }
        return looks;
    }

    /// Until nothing is due for an hour; of all attempts the given share is cut off by a kill.
    /// @return  how many kills
    int play(double kill_share) {
        int kills = 0;
        for (int idle_s = 0; idle_s < 3600; ++idle_s, ++now_s, clock_ms = now_s * 1000) {
            bool cut_off = false;
            for (const auto& one : take_due_notices(db, config, Moment(now_s))) {
                idle_s = 0;
                const double drawn = double(random() % 10'000) / 10'000;
                cut_off = drawn < kill_share;
                if (drawn < kill_share / 2) break;  // it had begun, and nothing was sent
                const auto reply = send_notice(session, one, now_s);
                if (cut_off) break;  // it was sent, and nobody wrote it down
                finish_notice(db, config, one, reply, Moment(now_s));
            }
            if (!cut_off) continue;
            ++kills;
            resume_notices(db, now_s);
            end_open_writes(db, now_s * 1000);
        }
        return kills;
    }

    std::atomic<std::int64_t> clock_ms{0};
    std::mt19937 random{11};
    TrackerSession session;
    test::IssueBoard board{[this] { return clock_ms.load(); }};
};

/// A request that gets no answer.
inline test::BoardFault cut(const std::string& method, const std::string& end, bool before) {
    test::CannedReply reply;
    reply.fault = test::Fault::hang_up;
    return {method, reply, before, 0, end};
}

}  // namespace vigil::service
