#include "service/watch/night/roll_up.hpp"

#include <algorithm>
#include <optional>

#include "service/store/alone.hpp"
#include "service/store/content_index.hpp"
#include "service/store/ids.hpp"
#include "service/store/nights/rolled.hpp"
#include "service/store/series/old_suspicions.hpp"
#include "service/store/series/packed_values.hpp"
#include "service/store/work/jobs.hpp"
#include "service/store/work/old_jobs.hpp"
#include "service/store/work/runs.hpp"

namespace vigil::service {

namespace {

// Some hundredths of a second on the writer.
constexpr int jobs_in_slice = 50;
constexpr std::int64_t measurements_in_slice = 1000;
constexpr int suspicions_in_slice = 200;

std::optional<RollingNight> begin_next(Database& db, int raw_nights, std::int64_t now_s) {
    for (const auto& project : list_project_names(db)) {
        const auto nightly = find_night_to_roll(db, project.id, raw_nights);
        if (!nightly) continue;
        begin_roll_up(db, *nightly, now_s);
        return RollingNight{*nightly, JobId{0}, std::nullopt};
    }
    return std::nullopt;
}

// @return  whether there were any to look at
bool shorten_some(Database& db, RollingNight& night) {
    const auto refuted = list_refuted(db, night.nightly, night.next_suspicion, suspicions_in_slice);
    int shortened = 0;
    for (const auto& one : refuted) {
        night.next_suspicion = SuspicionId{one.id.value + 1};
        bool is_short = false;
        // One that cannot be read stays as it is.
        const auto trouble = try_alone(db, [&] { is_short = shorten_suspicion(db, one); });
        shortened += is_short && !trouble ? 1 : 0;
    }
    note_shortened(db, night, shortened);
    return !refuted.empty();
}

}  // namespace

bool roll_up_slice(Database& db, int raw_nights, std::int64_t now_s) {
    if (raw_nights == 0) return false;
    auto night = find_rolling(db);
    if (const auto packing = night ? std::nullopt : find_packing(db)) {
        pack_some(db, *packing);
        return true;
    }
    if (!night) night = begin_next(db, std::max(raw_nights, fewest_raw_nights), now_s);
    if (!night) return false;
    const auto jobs = list_old_jobs(db, night->nightly, night->next_job, jobs_in_slice);
    std::int64_t room = measurements_in_slice;
    int kept = 0;
    for (const auto job : jobs) {
        // What has begun to go is counted, and is not asked again: its measurements are missing.
        if (job != night->going) {
            if (!is_uneventful(db, job)) {
                ++kept;
                night->next_job = JobId{job.value + 1};
                continue;
            }
            count_rolled(db, night->nightly, job);
        }
        night->next_job = job;
        night->going = job;
        room -= remove_measurements(db, job, room);
        if (room <= 0) break;  // the next slice goes on with the same job
        remove_job_events(db, job);
        release_logs(db, job);
        remove_runs(db, job);
        remove_job(db, job);
        night->next_job = JobId{job.value + 1};
        night->going.reset();
    }
    note_rolling(db, *night, kept);
    if (jobs.empty() && !shorten_some(db, *night)) end_roll_up(db, night->nightly, now_s);
    return true;
}

}  // namespace vigil::service
