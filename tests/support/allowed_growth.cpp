#include "tests/support/plans.hpp"

namespace vigil::tests {

namespace {

constexpr const char* page =
    "a page in order of ids, from the newest back until it is full; somebody asks for it";
constexpr const char* scrape =
    "counted over an index that holds little else, when somebody asks for the metrics";
constexpr const char* newest = "one row: the newest of a project's, by the index's own order";
constexpr const char* edge = "one row: at an end of an index's own order";
constexpr const char* all_nights = "over an index of nights, once a week and when somebody asks";
constexpr const char* sizes =
    "over an index of sizes, every five minutes; the bytes and so the rows have a limit";
constexpr const char* of_series = "the newest runs of a series, by the index's own order";
constexpr const char* unended = "only of what is open: it ends, and leaves the state";
constexpr const char* unknown =
    "somebody asked for a name that nothing has: the names that there are, to find the nearest";
constexpr const char* clearing =
    "every five minutes, only where the content is over its limit of bytes; over rows that are few";

constexpr const char* newest_few =
    "the newest few, in order of ids or of an index, when somebody asks for the doctor or metrics";

constexpr const char* a_week = "the newest first, by the index's own order; there is one a week";

const std::vector<AllowedGrowth> all = {
    {"ORDER BY allocation.id DESC LIMIT", page},
    {"ORDER BY audit.id DESC LIMIT", page},
    {"WHERE r.kind = 'week' AND r.project_id = ?1 ORDER BY", a_week},
    {"ORDER BY backfill.id DESC LIMIT", page},
    {"ORDER BY bisection.id DESC LIMIT", page},
    {"ORDER BY build.id DESC LIMIT", page},
    {"ORDER BY drift.id DESC LIMIT", page},
    {"ORDER BY dropped.id DESC LIMIT", page},
    {"ORDER BY event.id DESC LIMIT", page},
    {"ORDER BY import.id DESC LIMIT", page},
    {"FROM import i CROSS JOIN job j ON j.id = i.job_id WHERE i.job_id <> ?1",
     "a person undoes an import: up to the first other one of the class"},
    {"SELECT 1 WHERE EXISTS (SELECT 1 FROM measurement m CROSS JOIN run r",
     "a person undoes an import: up to the first value of another job"},
    {"OR EXISTS (SELECT 1 FROM mute WHERE series_id = ?1)",
     "a person undoes an import: over what persons have muted"},
    {"DELETE FROM worker_environment WHERE worker_id = ?1",
     "a person undoes the last import of a worker that stands for machines elsewhere"},
    {"ORDER BY job.id DESC LIMIT", page},
    {"ORDER BY known.id DESC LIMIT", page},
    {"j.state IN ('queued', 'leased', 'parked')", unended},
    {"ORDER BY canary.id DESC LIMIT", page},
    {"ORDER BY missed.id DESC LIMIT", page},
    {"FROM missed m INDEXED BY missed_measuring", unended},
    {"ORDER BY mute.id DESC LIMIT", page},
    {"ORDER BY nightly.id DESC LIMIT", page},
    {"ORDER BY notice.id DESC LIMIT", page},
    {"FROM nightly WHERE id < ?9 ORDER BY id DESC LIMIT 1", newest},
    {"FROM night WHERE project_id = ?1 AND backfill_id IS NULL AND state NOT IN", newest},
    {"ORDER BY delivery.id DESC LIMIT", page},
    {"ORDER BY outbox.id DESC LIMIT", page},
    {"WHERE event.id > ?1 ORDER BY event.id LIMIT", page},
    {"ORDER BY pull.id DESC LIMIT", page},
    {"ORDER BY regression.id DESC LIMIT", page},
    {"ORDER BY report.id DESC LIMIT", page},
    {"ORDER BY request.id DESC LIMIT", page},
    {"ORDER BY run.id DESC LIMIT", page},
    {"ORDER BY rolled.nightly_id DESC LIMIT", page},
    {"ORDER BY storm.id DESC LIMIT", page},
    {"ORDER BY suspicion.id DESC LIMIT", page},
    {"ORDER BY trouble.id DESC LIMIT", page},
    {"ORDER BY wish.id DESC LIMIT", page},
    {"SELECT kind, sum(ended_s IS NULL) FROM trouble GROUP BY kind", scrape},
    {"FROM machine_time AS time JOIN project", "a row for each project and purpose"},
    {"pragma_page_count() AS count", "one row: what SQLite knows of its own file"},
    {"SELECT state, count(*) FROM job GROUP BY state", scrape},
    {"SELECT state, sum(number) FROM (SELECT state, count(*) AS number FROM suspicion", scrape},
    {"SELECT verdict AS state, sum(number) FROM (SELECT verdict, count(*)", scrape},
    {"SELECT state, count(*) FROM regression GROUP BY state", scrape},
    {"SELECT state, count(*) FROM bisection GROUP BY state", scrape},
    {"SELECT count(*) FROM attempt WHERE outcome = 'lost'", scrape},
    {"SELECT count(*) FROM outbox WHERE state = 'dead'", scrape},
    {"(SELECT max(created_at_s) FROM night WHERE project_id = project.id)", newest},
    {"(SELECT max(id) FROM night WHERE project_id = project.id)", newest},
    {"AND ended_at_s IS NOT NULL ORDER BY id DESC LIMIT 1) AS took_s FROM project", newest},
    {"SELECT MAX(ended_at_s) FROM trigger_request WHERE project_id = ?1", newest},
    {"SELECT MAX(created_at_s) FROM night WHERE project_id = ?1", newest},
    {"FROM night WHERE project_id = ?1 AND state", newest},
    {"FROM trigger_request WHERE project_id = ?1 ORDER BY id DESC LIMIT 1", newest},
    {" AS edge FROM night", edge},
    {"WHERE m.series_id = ?1 ORDER BY m.run_id DESC LIMIT 20", of_series},
    {"(SELECT MAX(m.run_id) FROM measurement m WHERE m.series_id = s.id)", of_series},
    {"WHERE series_id = ?1 ORDER BY run_id DESC LIMIT", of_series},
    {"ORDER BY value.nightly_id DESC, run DESC LIMIT ?2", of_series},
    {"ORDER BY o.id DESC LIMIT 1 OFFSET ?2 - 1) AND n.state IN",
     "between two slices: the newest nights of a project, as many as keep their runs"},
    {"FROM bisection b WHERE b.kind = 'build' AND b.state = 'searching'", unended},
    {"AND g.state IN ('searching', 'attributed', 'range', 'reported', 'acknowledged') ",
     "a few times a night, what is open: each is compared with tonight"},
    {"FROM night WHERE project_id = ?1 AND (version = ?2 OR revision = ?2)",
     "once a night, and only where the config pins a version"},
    {"FROM bisection WHERE state = 'listing'", unended},
    {"WHERE m.state = 'listing' AND (?2 IS NULL OR n.project_id = ?2)", unended},
    {" LIMIT ?4) n CROSS JOIN series s", "over what the subquery gives, ?4 nights at most"},
    {" ORDER BY max(id) DESC LIMIT ?1", unknown},
    {"UNION SELECT nightly_id FROM bisection WHERE state IN ('listing', ", unended},
    {"AND (r.state = 'attributed' OR r.state IN ('reported', 'acknowledged')) AND r.nightly_id >=",
     unended},
    {"'acknowledged') AND g.culprit IS NOT NULL AND NOT EXISTS", unended},
    {"SELECT id FROM regression WHERE project_id = ?1 AND state IN ('searching', ", unended},
    {"LEFT JOIN project p ON p.id = e.project_id WHERE e.id > ?1",
     "what came since the last look, a thousand at most"},
    {"AND p.state = 'built' ORDER BY p.id DESC LIMIT 20",
     "the newest products, in order of ids until there are twenty of the project"},
    {"SELECT count(*) FROM night WHERE (?1 IS NULL OR project_id = ?1)", all_nights},
    {"FROM whole CROSS JOIN day_runs d", all_nights},
    {"DELETE FROM audit WHERE id <=", "what it removes: the log has a limit"},
    {"WITH needed(id) AS (SELECT jb.build_id FROM job j", clearing},
    {"SELECT SUM(size_bytes) FROM content", sizes},
    {"(SELECT id FROM outbox WHERE state = 'dead' ORDER BY id DESC LIMIT", newest_few},
    {"SELECT at_s FROM event ORDER BY id DESC LIMIT 1", newest_few},
    {"AS started_at_s FROM run ORDER BY id DESC LIMIT ?2", newest_few},
    {"SELECT state FROM self_test ORDER BY number DESC LIMIT 30", newest_few},
    {"FROM self_test INDEXED BY self_test_reported WHERE state = 'reported' ORDER BY", newest_few},
    {"SELECT max(planted_at_s) FROM self_test INDEXED BY self_test_reported", newest_few},
    {"FROM disk_day ORDER BY day DESC LIMIT ?1", newest_few},
    {"FROM self_test INDEXED BY self_test_planting", unended},
    {"FROM self_test INDEXED BY self_test_waiting", unended},
    {"FROM bisection b JOIN project p ON p.id = b.project_id WHERE b.state IN", unended},
    {"FROM content c WHERE kind IN ('artifact', 'product')",
     "over an index of products and archives, every ten seconds where there is an object store"},
};

}  // namespace

const std::vector<AllowedGrowth>& allowed_growth() {
    return all;
}

}  // namespace vigil::tests
