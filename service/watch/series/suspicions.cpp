#include "service/watch/series/suspicions.hpp"

#include <utility>

#include <fmt/format.h>

#include "service/store/nights/nightlies.hpp"
#include "service/watch/series/series_records.hpp"

namespace vigil::service {

namespace {

std::string reason_of(Database& db, const detect::NightWord& word) {
    if (!word.since) return word.reason;
    const auto version = [&](std::int64_t nightly) {
        const auto row = find_nightly(db, NightlyId{nightly});
        return row ? row->version : std::string("?");
    };
    return word.reason + fmt::format(
                             "; suspicion {:.1f}, likely since nightly {} ({} to {})",
                             word.score,
                             version(*word.since),
                             version(*word.earliest),
                             version(*word.latest));
}

}  // namespace

OpenSuspicion open_suspicion(
    Database& db,
    const SeriesRow& series,
    NightlyId nightly,
    const detect::NightWord& word,
    const detect::Question& question,
    std::int64_t now_s) {
    return add_suspicion(db, series, nightly, word, question, reason_of(db, word), now_s);
}

std::optional<detect::SeriesRecord> load_asking(Database& db, const OpenSuspicion& suspicion) {
    if (suspicion.by_outcome) return std::nullopt;
    auto record = load_record(db, suspicion.series.id, suspicion.nightly);
    if (!record || !record->question) return std::nullopt;
    return record;
}

void answer_suspicion(
    Database& db,
    const OpenSuspicion& suspicion,
    detect::SeriesRecord record,
    const detect::SessionWord& word,
    std::int64_t now_s,
    const std::string& waits) {
    const SuspicionEnd end{word.answer.verdict, word.comparison, word.reason, waits, word.answer};
    end_suspicion(db, suspicion, end, now_s);
    const auto series = suspicion.series.id;
    const auto level = detect::take_answer(record, word.answer);
    store_record(db, series, suspicion.nightly, record);
    if (!level) return;
    const LevelRow row{NightlyId{level->first_night}, suspicion.nightly, false, true};
    add_level(db, series, row, level->reason, now_s);
}

void leave_suspicion(
    Database& db,
    const OpenSuspicion& suspicion,
    const std::string& reason,
    std::int64_t now_s,
    const std::string& waits) {
    auto record = load_asking(db, suspicion);
    if (!record) {
        const SuspicionEnd end{.reason = reason, .waits = waits};
        end_suspicion(db, suspicion, end, now_s);
        return;
    }
    detect::SessionWord word;
    word.answer = detect::answer_without_runs(*record, Verdict::watch);
    word.reason = reason;
    answer_suspicion(db, suspicion, std::move(*record), word, now_s, waits);
}

}  // namespace vigil::service
