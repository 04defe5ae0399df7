#include "tests/bench/nights/year.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <map>
#include <sqlite3.h>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "service/api/route.hpp"
#include "service/store/findings/regressions.hpp"
#include "service/watch/night/roll_up.hpp"
#include "tests/bench/nights/fleet.hpp"
#include "tests/bench/nights/supply.hpp"

namespace vigil::nights {

using namespace vigil::service;

namespace {

constexpr int quarters = 4;

double cpu_s() {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

double at(std::vector<double> all, double share) {
    std::sort(all.begin(), all.end());
    const auto place = static_cast<std::size_t>(share * static_cast<double>(all.size()));
    return all.empty() ? 0 : all[std::min(place, all.size() - 1)];
}

/// A list of the API, and how long its first page takes.
struct List {
    std::string path;
    double ms = 0;
    std::size_t bytes = 0;
};

/// Of all GETs of the API without a place in their path.
List heaviest_list(Database& db, const Config& config, std::int64_t now_s) {
    List heaviest;
    const HandlerContext context{config, now_s, now_s * 1'000'000'000, now_s};
    for (const auto& route : all_routes()) {
        const bool is_read =
            route.place == WorkPlace::reader || route.place == WorkPlace::long_reader;
        const bool is_list = route.method == "GET" && route.pattern.starts_with("/api/v1/") &&
                             route.pattern.find('{') == std::string_view::npos;
        if (!is_read || !is_list) continue;
        http::Request request;
        request.method = "GET";
        request.path = route.pattern;
        const double begin = cpu_s();
        try {
            const auto response = answer_of(route, request, db, context);
            const double ms = 1000 * (cpu_s() - begin);
            if (response.ok() && ms > heaviest.ms) {
                heaviest = {std::string(route.pattern), ms, response.body.size()};
            }
        } catch (const Error&) {  // it needs a query
        }
    }
    return heaviest;
}

/// As deploy/backup does: SQLite's online backup. @return  seconds
double back_up(const std::string& ledger) {
    const auto begin = std::chrono::steady_clock::now();
    const auto copy = ledger + ".copy";
    sqlite3* from = nullptr;
    sqlite3* to = nullptr;
    bool done =
        sqlite3_open_v2(ledger.c_str(), &from, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK &&
        sqlite3_open(copy.c_str(), &to) == SQLITE_OK;
    if (done) {
        auto* backup = sqlite3_backup_init(to, "main", from, "main");
        done = backup != nullptr && sqlite3_backup_step(backup, -1) == SQLITE_DONE;
        sqlite3_backup_finish(backup);
    }
    sqlite3_close(to);
    sqlite3_close(from);
    std::filesystem::remove(copy);
    if (!done) throw Error(Errc::internal, "copying " + ledger + " failed");
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// What rolling up took.
struct RollUp {
    int slices = 0;
    double longest_s = 0;  ///< of a slice, which is one transaction of the writer
    double all_s = 0;
};

void roll_up(Database& db, int raw_nights, std::int64_t now_s, RollUp& took) {
    for (bool goes_on = true; goes_on;) {
        const double begin = cpu_s();
        Transaction transaction(db);
        goes_on = roll_up_slice(db, raw_nights, now_s);
        transaction.commit();
        const double slice_s = cpu_s() - begin;
        took.longest_s = std::max(took.longest_s, slice_s);
        took.all_s += slice_s;
        took.slices += goes_on ? 1 : 0;
    }
}

/// As an operator does who looks at what has been open for long: the new level is right.
void answer_old(Database& db, int answered_after, std::int64_t now_s) {
    constexpr std::int64_t day_s = 86'400;
    if (answered_after == 0) return;
    Transaction transaction(db);
    for (const auto regression : db.all<RegressionId>(
             "SELECT id FROM regression WHERE state IN {reported_regressions} "
             "AND created_at_s <= ?1 ORDER BY id",
             now_s - answered_after * day_s)) {
        const auto to = RegressionState::accepted;
        move_by_hand(db, regression, to, "operator", "the new level is right", now_s);
    }
    transaction.commit();
}

struct TableSize {
    std::string name;
    std::int64_t bytes = 0;
};

/// Bytes of a ledger's tables with their indices.
using Sizes = std::map<std::string, std::int64_t>;

Sizes sizes_of(Database& db) {
    Sizes sizes;
    for (auto& [name, bytes] : db.all<TableSize>(
             "SELECT ifnull(s.tbl_name, d.name), sum(d.pgsize) FROM dbstat d "
             "LEFT JOIN sqlite_schema s ON s.name = d.name WHERE d.aggregate = TRUE GROUP BY 1")) {
        sizes.emplace(std::move(name), bytes);
    }
    return sizes;
}

/// The tables that grew by a byte a series-night or more between two nights, largest first.
std::string growth_words(const Sizes& before, const Sizes& after, double series_nights) {
    std::vector<std::pair<double, std::string>> grown;
    double all = 0;
    for (const auto& [name, bytes] : after) {
        const auto found = before.find(name);
        const auto was = found == before.end() ? 0 : found->second;
        const double by = static_cast<double>(bytes - was) / series_nights;
        all += by;
        if (by >= 1) grown.emplace_back(by, name);
    }
    std::sort(grown.rbegin(), grown.rend());
    auto words = fmt::format("{:.1f}", all);
    for (const auto& [by, name] : grown) words += fmt::format(", {} {:.1f}", name, by);
    return words;
}

std::string row(
    const SoFar& so_far,
    Database& db,
    const Config& config,
    const std::string& ledger,
    int first,
    const RollUp& rolled) {
    const auto night = static_cast<int>(so_far.record.service_cpu_s.size());
    const auto part = [&](const std::vector<double>& all) {
        return std::vector<double>(all.begin() + first, all.end());
    };
    const auto bytes = db.find<std::int64_t>(
        "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()");
    const auto unused = db.find<std::int64_t>(
        "SELECT freelist_count * page_size FROM pragma_freelist_count(), pragma_page_size()");
    const auto service = part(so_far.record.service_cpu_s);
    const auto step = part(so_far.record.longest_step_s);
    const auto list = heaviest_list(db, config, so_far.now_s);
    return fmt::format(
        "| {} to {} | {:.0f}, {:.0f} | {:.2f}, {:.2f} | {:.3f}, {:.3f} | {}, {:.1f}, {:.3f} | "
        "{:.1f} {} | {:.1f} | {}, {} |\n",
        first + 1,
        night,
        static_cast<double>(bytes.value_or(0)) / 1e6,
        static_cast<double>(unused.value_or(0)) / 1e6,
        at(service, .5),
        at(service, 1),
        at(step, .5),
        at(step, 1),
        rolled.slices,
        rolled.all_s,
        rolled.longest_s,
        list.ms,
        list.path,
        back_up(ledger),
        db.find<std::int64_t>("SELECT count(*) FROM regression").value_or(0),
        db.find<std::int64_t>("SELECT count(*) FROM regression WHERE state IN {open_regressions}")
            .value_or(0));
}

}  // namespace

void tell_year(
    const Options& options,
    const std::string& ledger,
    const std::function<void(const std::string&)>& tell) {
    const World world(options);
    tell(fmt::format(
        "{} series\n\n| Nights | Ledger, MB: whole, unused | Service of a night, s: p50, most | "
        "Longest step, s: p50, most | Rolled up: slices, s, longest | Heaviest list, ms | "
        "Backup, s | Regressions: all, open |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n",
        world.series().size()));
    const auto config = make_config(world);
    Playing playing;
    playing.ledger = ledger;
    int first = 0;
    RollUp rolled;
    Sizes half;
    std::string grown;
    playing.after_night = [&](Database& db, const SoFar& so_far) {
        answer_old(db, options.answered_after, so_far.now_s);
        roll_up(db, options.raw_nights, so_far.now_s, rolled);
        const int done = so_far.night + 1;
        if (done == options.nights / 2) half = sizes_of(db);
        if (done == options.nights) {
            const double nights = done - options.nights / 2;
            const auto series = static_cast<double>(world.series().size());
            grown = growth_words(half, sizes_of(db), series * nights);
        }
        if (done * quarters / options.nights == first * quarters / options.nights) return;
        tell(row(so_far, db, config, ledger, first, rolled));
        first = done;
        rolled = {};
    };
    const auto record = play(world, playing);
    for (const auto& stuck : record.stuck) tell(stuck + "\n");
    tell("\nBytes a series-night of the second half, by table with its indices: " + grown + "\n");
}

}  // namespace vigil::nights
