#include "service/watch/night/roll_up.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "service/report/facts/night_facts.hpp"
#include "service/report/facts/precision.hpp"
#include "service/report/facts/regression_facts.hpp"
#include "service/report/render/night_sections.hpp"
#include "service/report/render/render_night.hpp"
#include "service/report/render/render_regression.hpp"
#include "service/store/lists/lists.hpp"
#include "service/store/lists/suite.hpp"
#include "service/store/series/answers.hpp"
#include "service/store/series/reported.hpp"
#include "service/store/series/values.hpp"
#include "tests/support/fleet.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace vigil;
using service::Database;
using tests::Fleet;
using tests::World;

namespace {

constexpr int all_nights_are_raw = 0;

const std::set<std::string> raw_tables = {
    "attempt",
    "case_failure",
    "job",
    "job_build",
    "measurement",
    "night_value",  // night_run has its values
    "rolled_jobs",
    "rolled_night",
    "run",
    "run_fact",
    "unjudged_measurement",
    // What was refuted goes from the one to the other.
    "old_suspicion",
    "suspicion"};

using Rows = std::map<std::string, std::vector<std::string>>;

/// Every row of the ledger, by table: what nights were told, decided, filed and reported. Keys and
/// traces are drawn by lot.
Rows rows_of(Database& db) {
    Rows all;
    for (const auto& table : db.all<std::string>(
             "SELECT name FROM sqlite_schema WHERE (type = 'table' OR name = 'night_run') "
             "AND name NOT LIKE 'sqlite%'")) {
        if (table == "marker_key" || table == "clock") continue;  // by lot, and of the machine
        const auto columns = db.find<std::string>(
            "SELECT group_concat('quote(' || name || ')', ' || '' '' || ') "
            "FROM pragma_table_xinfo(?1) WHERE name NOT IN ('rolled_up_at_s', 'key', "
            "'traceparent')",
            table);
        const std::string where = table == "event"       ? " WHERE subject NOT LIKE 'job/%' "
                                                           "AND subject NOT LIKE 'suspicion/%'"
                                  : table == "night_run" ? " ORDER BY series_id, nightly_id, run_id"
                                                         : "";
        all[table] = db.all<std::string>("SELECT " + *columns + " FROM " + table + where);
    }
    return all;
}

/// What every series was told, to the last bit, and how well the service itself did.
void add_answers(Fleet& fleet, std::vector<std::string>& texts) {
    auto& db = fleet.db();
    for (const auto series : db.all<SeriesId>("SELECT id FROM series ORDER BY id")) {
        std::string told;
        for (const auto& [night, answer] : service::load_answers(db, series)) {
            told += fmt::format("{} {}\n", night, service::text_of(answer));
        }
        texts.push_back(told);
    }
    // Whole days: of a part of one the runs that are gone are not counted.
    constexpr std::int64_t day_s = 86'400;
    const auto first_s =
        *db.find<std::int64_t>("SELECT min(created_at_s) FROM nightly") / day_s * day_s;
    const auto last_s = fleet.now_s() + 1;
    for (auto since_s = first_s; since_s < last_s; since_s += 15 * day_s) {
        const auto facts = service::load_precision(db, {std::nullopt, since_s, last_s});
        texts.push_back(service::precision_section(facts));
        texts.push_back(fmt::format(
            "{} {} {}", facts.suspicions, facts.not_reproduced, facts.median_verdict_s));
    }
}

/// What is told of every night and every regression when somebody asks for it now.
std::vector<std::string> texts_of(Fleet& fleet) {
    auto& db = fleet.db();
    std::vector<std::string> texts;
    const auto add = [&](const service::Document& document) {
        texts.push_back(document.title + "\n" + document.body);
    };
    for (const auto night : db.all<NightlyId>("SELECT id FROM nightly ORDER BY id")) {
        auto facts = service::load_night_facts(db, night, fleet.config());
        facts.marker.clear();  // by lot
        add(service::render_night(facts));
        const auto one = service::load_one(db, service::lists::nightlies, night.value);
        texts.push_back(one.at("jobs").dump() + one.at("suspicions").dump());
        for (const auto& [verdict, times] : service::count_verdicts(db, night, facts.project_id)) {
            texts.push_back(fmt::format("{} {}", to_string(verdict), times));
        }
        const auto told = service::load_one(db, service::lists::summaries, night.value);
        texts.push_back(told.at("runs").dump());
        std::string values;
        for (const auto& run : service::list_suite_runs(db, night)) {
            values += fmt::format("{} {} ", run.series.value, run.value);
        }
        for (const auto& [series, runs] : service::list_values_of(db, night)) {
            values += fmt::format("{} {} ", series.id.value, runs.size());
        }
        std::set<std::string> passed;
        for (const auto& run : service::list_suite_outcomes(db, night)) {
            if (run.outcome != "unsupported") passed.insert(run.variant + " " + run.outcome);
        }
        for (const auto& run : passed) values += run + " ";
        texts.push_back(values);
    }
    for (const auto regression : db.all<RegressionId>("SELECT id FROM regression ORDER BY id")) {
        auto facts = service::load_regression_facts(db, regression, fleet.config());
        facts.marker.clear();
        add(service::render_regression(facts));
    }
    add_answers(fleet, texts);
    return texts;
}

struct Played {
    Rows rows;
    std::vector<std::string> texts;
};

int roll_up(Fleet& fleet, int raw_nights, bool is_killed) {
    int slices = 0;
    for (bool goes_on = true; goes_on; ++slices) {
        if (is_killed) {  // what a slice had done is gone, and the next one does it again
            service::Transaction lost(fleet.db());
            service::roll_up_slice(fleet.db(), raw_nights, fleet.now_s());
        }
        service::Transaction transaction(fleet.db());
        goes_on = service::roll_up_slice(fleet.db(), raw_nights, fleet.now_s());
        transaction.commit();
    }
    return slices;
}

Played play(const World& world, int nights, int raw_nights, bool is_killed = false) {
    const test::ScratchFolder folder;
    Fleet fleet(world, (folder / "ledger.sqlite").string());
    for (int night = 0; night < nights; ++night) {
        fleet.night(10 * night);
        roll_up(fleet, raw_nights, is_killed);
    }
    CHECK(fleet.db().all<std::string>("SELECT \"table\" FROM pragma_foreign_key_check()").empty());
    return {rows_of(fleet.db()), texts_of(fleet)};
}

World busy_world() {
    World world{.seed = 21, .commits = 2000, .variants = {"infer", "train", "fails"}};
    world.machine_classes = {"fast", "slow"};
    world.noise = 0.02;
    world.crashes = {{"fails", 171}};
    world.changes = {
        {.commit = 157, .variant = "infer", .time = 1.3},
        {.commit = 217, .variant = "infer", .time = 1 / 1.3},
        {.commit = 277, .variant = "train", .time = 0.8}};
    return world;
}

World world_of_cases() {
    World world{.seed = 22, .commits = 2000};
    world.cases = 3;
    world.changes = {{.commit = 157, .variant = "infer", .time = 1.3, .case_name = "case 1"}};
    world.failing_cases = {{"case 2", 231}};
    return world;
}

/// Its machines become slower twice, and what that makes suspicious is not the build's.
World world_of_moves() {
    World world{.seed = 23, .commits = 2000, .variants = {"infer", "train"}};
    world.machine_moves = {{12, 1.12}, {30, 1.25}};
    world.changes = {{.commit = 157, .variant = "infer", .time = 1.3}};
    return world;
}

}  // namespace

TEST_CASE(
    "Nights are judged the same, byte for byte, whether older ones are rolled up or not",
    "[scenario][many-nights]") {
    const auto make = GENERATE(&busy_world, &world_of_cases, &world_of_moves);
    const World world = make();
    CAPTURE(world.seed);
    constexpr int nights = 75;
    const auto [raw, raw_texts] = play(world, nights, all_nights_are_raw);
    const auto [rolled, rolled_texts] = play(world, nights, service::fewest_raw_nights, true);
    REQUIRE(raw.at("regression").size() > 0);
    REQUIRE(raw.at("night_value").size() > 100);
    for (const auto& [table, rows] : raw) {
        CAPTURE(table);
        if (!raw_tables.contains(table)) CHECK(rolled.at(table) == rows);
    }
    REQUIRE(rolled_texts.size() == raw_texts.size());
    for (std::size_t i = 0; i < raw_texts.size(); ++i) CHECK(rolled_texts[i] == raw_texts[i]);
    // What was refuted is short: those that stay are as they were, and none is lost.
    const auto& all = raw.at("suspicion");
    const auto& whole = rolled.at("suspicion");
    if (make == &busy_world) CHECK(rolled.at("old_suspicion").size() > 0);
    const auto is_of_machine = [](const std::string& row) {
        return row.find("'environment'") != row.npos;
    };
    if (make == &world_of_moves) {
        CHECK(std::ranges::any_of(rolled.at("old_suspicion"), is_of_machine));
    }
    CHECK(raw.at("old_suspicion").empty());
    CHECK(whole.size() + rolled.at("old_suspicion").size() == all.size());
    for (const auto& row : whole) CHECK(std::find(all.begin(), all.end(), row) != all.end());
    CHECK(rolled.at("night_value").size() < raw.at("night_value").size());
    CHECK(rolled.at("rolled_night").size() == nights - service::fewest_raw_nights);
    CHECK(rolled.at("measurement").size() < raw.at("measurement").size());
    CHECK(rolled.at("run").size() < raw.at("run").size());
    CHECK(rolled.at("job").size() < raw.at("job").size());
}
