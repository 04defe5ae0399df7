#include <algorithm>

#include <fmt/format.h>

#include "bisect/stats/summary.hpp"
#include "schema/text/numbers.hpp"
#include "service/watch/doctor_rules.hpp"

namespace vigil::service {

namespace {

using Findings = std::vector<DoctorFinding>;

constexpr std::int64_t clock_grace_s = 300;
constexpr std::int64_t backup_wanted_s = 7 * 86'400;  // of a ledger's age
constexpr std::size_t fewest_disk_days = 7;

void add_ledger(const DoctorFacts& facts, Findings& found) {
    for (const auto& fault : facts.ledger.faults) {
        found.push_back(
            {"ledger.damaged",
             "ledger",
             Badness::failing,
             fault,
             "stop the daemon and restore the newest backup (docs/operations.md, Backup)",
             std::nullopt});
    }
}

void add_content(const DoctorFacts& facts, Findings& found) {
    const auto add =
        [&](std::string_view kind, Badness badness, const auto& list, const auto& say) {
            if (list.empty()) return;
            const auto count = static_cast<std::int64_t>(list.size());
            const auto& [words, remedy] = say;
            found.push_back(
                {std::string(kind),
                 "content",
                 badness,
                 fmt::format(
                     "{}, the first {}: {}",
                     text::counted(count, "file"),
                     list.front().str().substr(0, 12),
                     words),
                 remedy,
                 std::nullopt});
        };
    add("content.lost",
        Badness::failing,
        facts.content.lost,
        std::pair<std::string, std::string>{
            "the ledger knows content whose file is gone from the content store; jobs that need it "
            "fail",
            "put content/ back from a backup; a restart of the daemon then forgets what stays "
            "lost"});
    add("content.unindexed",
        Badness::note,
        facts.content.unknown,
        std::pair<std::string, std::string>{
            "the content store has files that the ledger does not know; they only take room",
            "systemctl restart vigild moves them to unknown/ of the state folder"});
}

void add_disk(const DoctorFacts& facts, Findings& found) {
    if (!facts.free_bytes) return;
    const auto room_bytes = *facts.free_bytes - facts.ballast_bytes;
    const auto left = disk_days_left(facts.disk_days, room_bytes);
    if (!left || *left > disk_fills_days || room_bytes <= 0)
        return;  // disk.full tells of a full one
    found.push_back(
        {"disk.filling",
         "disk/state_dir",
         Badness::will_fail,
         fmt::format(
             "the disk of the state folder has {} MiB left and is full in about {:.0f} days, as it "
             "filled of late",
             room_bytes >> 20,
             std::max(1.0, *left)),
         "du -sh STATE_FOLDER/*; lower ledger.content_max_bytes or ledger.raw_nights, or make room",
         std::nullopt});
}

void add_clock(const DoctorFacts& facts, Findings& found) {
    if (facts.newest_event_s <= facts.now_s + clock_grace_s) return;
    found.push_back(
        {"clock.behind",
         "clock",
         Badness::failing,
         fmt::format(
             "the daemon's clock says {}, and the ledger's newest event is of {}: one of them is "
             "wrong, and schedules and ages with it",
             time_words(facts.now_s),
             time_words(facts.newest_event_s)),
         "timedatectl; set the clock right, and let it be kept so",
         std::nullopt});
}

void add_backup(const DoctorFacts& facts, Findings& found) {
    const auto add = [&](std::string kind, Badness badness, std::string words, std::int64_t at_s) {
        found.push_back(
            {std::move(kind),
             "ledger",
             badness,
             std::move(words),
             "vigil-backup STATE_FOLDER BACKUP_FOLDER, every day by a timer",
             at_s == 0 ? std::nullopt : std::optional(at_s)});
    };
    const bool is_new = facts.now_s - facts.ledger_since_s < backup_wanted_s;
    if (!facts.backup) {
        if (facts.ledger_since_s == 0 || is_new) return;
        add("backup.unknown",
            Badness::note,
            "the config names no folder of backups (ledger.backup_dir), so nobody sees whether "
            "there are any",
            0);
        return;
    }
    if (facts.backup->fault) {
        add("backup.missing",
            Badness::will_fail,
            "the folder of backups (ledger.backup_dir) cannot be read: " + *facts.backup->fault,
            0);
    } else if (facts.backup->name.empty()) {
        add("backup.missing",
            Badness::will_fail,
            "the folder of backups (ledger.backup_dir) has no whole backup",
            0);
    } else if (facts.now_s - facts.backup->at_s > facts.backup_due_s) {
        add("backup.old",
            Badness::will_fail,
            fmt::format(
                "the newest backup, {}, is {} old",
                facts.backup->name,
                text::duration(facts.now_s - facts.backup->at_s)),
            facts.backup->at_s);
    }
}

}  // namespace

// The middle of all slopes between two days: what is cleared once in a while hides nothing.
std::optional<double> disk_days_left(const std::vector<DiskDay>& days, std::int64_t room_bytes) {
    if (days.size() < fewest_disk_days) return std::nullopt;
    std::vector<double> slopes;
    for (const auto& a : days) {
        for (const auto& b : days) {
            if (a.day >= b.day) continue;
            const auto taken = static_cast<double>(a.free_bytes - b.free_bytes);
            slopes.push_back(taken / static_cast<double>(b.day - a.day));
        }
    }
    if (slopes.empty()) return std::nullopt;
    const auto bytes_a_day = stats::median(slopes);
    if (bytes_a_day <= 0) return std::nullopt;
    return static_cast<double>(room_bytes) / bytes_a_day;
}

std::vector<DoctorFinding> find_in_state(const DoctorFacts& facts) {
    Findings found;
    add_ledger(facts, found);
    add_clock(facts, found);
    add_disk(facts, found);
    add_content(facts, found);
    add_backup(facts, found);
    return found;
}

}  // namespace vigil::service
