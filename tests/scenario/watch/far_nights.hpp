#pragma once

// A project that is measured elsewhere, night by night.

#include <functional>
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "bisect/stats/summary.hpp"
#include "schema/wire/digest.hpp"
#include "service/config/config.hpp"
#include "service/report/report_step.hpp"
#include "service/store/migrate.hpp"
#include "service/store/nights/nightlies.hpp"
#include "service/watch/night/external.hpp"
#include "service/watch/series/series_records.hpp"
#include "service/watch/watch.hpp"
#include "tests/support/scratch_folder.hpp"

namespace vigil::service::testing {

inline constexpr std::int64_t sent_day_s = 86'400;
inline constexpr std::int64_t sent_first_s = 1'767'225'600;  // 2026-01-01

class FarNights {
  public:
    FarNights() : db_(Database::open_writer((folder_ / "ledger.db").string())) {
        migrate(db_);
        ProjectConfig far;
        far.name = "far";
        far.source.kind = SourceKind::elsewhere;
        far.judged = {Metric::wall_time_ns};
        config.projects["far"] = far;
    }

    SentNight night(int day, double value, const std::string& benchmark = "sort") const {
        SentNight sent;
        sent.revision = Revision(fmt::format("{:040x}", day + 1));
        sent.version = fmt::format("v{}", day);
        sent.time_s = sent_first_s + day * sent_day_s;
        sent.machine_class = "ci";
        SentReading reading;
        reading.benchmark = benchmark;
        reading.variant = "default";
        reading.metric = Metric::wall_time_ns;
        reading.unit = "ns";
        reading.samples = {value * 0.999, value, value * 1.001};
        reading.value = stats::median(reading.samples);
        reading.spread = stats::spread(reading.samples);
        sent.readings = {reading};
        sent.digest = wire::sha256(sent.version + benchmark + std::to_string(value));
        return sent;
    }

    TakenNight take(const SentNight& sent) {
        Transaction transaction(db_);
        NightTaker taker(config.projects.at("far"));
        const auto taken = taker.take(db_, sent, part_from(sent, 0), now_s);
        transaction.commit();
        return taken;
    }

    /// Everything that follows.
    void judge() {
        now_s += config.projects.at("far").source.settle_s + 1;
        for (int round = 0; round < 200; ++round) {
            Transaction transaction(db_);
            bool moved = false;
            for (const auto one : list_open_nightlies(db_)) {
                moved = advance_nightly(db_, config, one, now_s) || moved;
            }
            moved = (on_round && on_round(db_)) || moved;
            moved = report_step(db_, config, now_s) > 0 || moved;
            moved = remake_records(db_, config, 100) > 0 || moved;
            transaction.commit();
            if (!moved) return;
        }
        FAIL("it goes on for ever");
    }

    void nights(int from, int to, double value) {
        for (int day = from; day < to; ++day) {
            take(night(day, value * (1 + 0.001 * (day * 7 % 5 - 2))));
            judge();
        }
    }

    int count(const std::string& table) { return *db_.find<int>("SELECT COUNT(*) FROM " + table); }
    std::string text(const std::string& sql) {
        return db_.find<std::string>(sql).value_or("nothing");
    }

    Database& ledger() { return db_; }

    Config config;
    std::function<bool(Database&)> on_round;  ///< what else happens; whether something did
    std::int64_t now_s = sent_first_s + 400 * sent_day_s;

  private:
    test::ScratchFolder folder_;
    Database db_;
};

}  // namespace vigil::service::testing
