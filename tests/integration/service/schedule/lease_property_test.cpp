#include <map>
#include <random>

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "service/schedule/job_rules.hpp"
#include "service/schedule/leases.hpp"
#include "tests/support/job_scene.hpp"

// Random claims, heartbeats, results (right, repeated, late, by the wrong worker), cancels and
// expiries; after each, what must hold for ever is looked at in the ledger.

namespace vigil::service {
namespace {

using test::JobScene;

struct Play {
    JobScene scene;
    std::mt19937 random;
    std::vector<std::pair<Lease, WorkerId>> leases;  // every one there ever was
    std::vector<JobId> jobs;
    std::vector<BuildId> builds;
    std::map<std::int64_t, JobState> over;
    std::map<std::int64_t, int> attempts;
    std::map<std::int64_t, int> runs;

    explicit Play(unsigned seed) : random(seed) {
        for (int i = 0; i < 4; ++i) builds.push_back(scene.add_build(i != 3));
    }

    int below(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random); }
    template <class T>
    const T& one_of(const std::vector<T>& values) {
        return values[static_cast<std::size_t>(below(static_cast<int>(values.size())))];
    }
    WorkerId any_worker() { return one_of(std::vector{scene.one, scene.two, scene.three}); }

    JobResult any_result(const Lease& lease) {
        auto result = scene.result_of(lease);
        if (below(5) == 0) {
            result = JobResult{};
            result.failure = "something is wrong with the worker";
        }
        return result;
    }

    void act() {
        switch (below(7)) {
            case 0:
                jobs.push_back(scene.add_job({one_of(builds), one_of(builds)}, below(3)));
                break;
            case 1:
            case 2: {
                const auto worker = any_worker();
                if (const auto lease = scene.claim(worker)) leases.emplace_back(*lease, worker);
                break;
            }
            case 3: {
                if (leases.empty()) break;
                const auto& [lease, worker] = one_of(leases);
                scene.finish(lease, below(8) == 0 ? any_worker() : worker, any_result(lease));
                break;
            }
            case 4: {
                if (leases.empty()) break;
                const auto& [lease, worker] = one_of(leases);
                heartbeat(
                    scene.db, scene.config.jobs, lease.job, lease.attempt, worker, "", scene.now_s);
                break;
            }
            case 5:
                scene.now_s += below(2 * scene.config.jobs.lease_ttl_s);
                expire_leases(scene.db, scene.config.jobs, scene.now_s);
                break;
            case 6:
                if (!jobs.empty() && below(4) == 0) {
                    cancel_job(scene.db, one_of(jobs), scene.now_s);
                }
                break;
        }
    }

    void check_jobs() {
        auto rows = scene.db.query(
            "SELECT id, state, attempt, worker_id, lease_expires_at_s, lost_attempts, "
            "(SELECT count(*) FROM attempt WHERE job_id = job.id), "
            "(SELECT count(*) FROM attempt WHERE job_id = job.id AND outcome IS NULL), "
            "(SELECT count(*) FROM attempt WHERE job_id = job.id AND outcome = 'done'), "
            "(SELECT count(*) FROM run WHERE job_id = job.id), "
            "(SELECT count(*) FROM attempt WHERE job_id = job.id "
            " AND outcome IN ('lost', 'failed')) FROM job");
        while (rows.next()) {
            const auto id = rows.get<std::int64_t>(0);
            const auto state = rows.get<JobState>(1);
            const int attempt = rows.get<int>(2);
            const bool leased = state == JobState::leased;
            REQUIRE((!over.contains(id) || over[id] == state));
            if (is_over(state)) over[id] = state;
            REQUIRE(attempt >= attempts[id]);
            attempts[id] = attempt;
            REQUIRE(rows.get<int>(6) == attempt);
            REQUIRE(rows.get<int>(7) == (leased ? 1 : 0));  // at most one live lease
            REQUIRE((!leased || rows.get<std::optional<WorkerId>>(3).has_value()));
            REQUIRE(rows.get<std::optional<std::int64_t>>(4).has_value() == leased);
            REQUIRE(rows.get<int>(8) == (state == JobState::done ? 1 : 0));
            REQUIRE(rows.get<int>(9) == (state == JobState::done ? 2 : 0));
            REQUIRE(rows.get<int>(5) == rows.get<int>(10));
            REQUIRE(rows.get<int>(5) <= 2 * scene.config.jobs.max_lost_attempts);
        }
    }
};

TEST_CASE("Whatever happens, a job has one lease, one result and one end", "[service][schedule]") {
    const unsigned seed = std::random_device{}();
    INFO("seed " << seed);
    for (unsigned round = 0; round < 20; ++round) {
        Play play(seed + round);
        int refused = 0;
        for (int i = 0; i < 200; ++i) {
            try {
                Transaction transaction(play.scene.db);
                play.act();
                transaction.commit();
            } catch (const Error& error) {
                REQUIRE(error.code() == Errc::conflict);
                ++refused;
            }
            play.check_jobs();
        }
        CHECK(refused < 200);
    }
}

}  // namespace
}  // namespace vigil::service
