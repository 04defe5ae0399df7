#include "tests/bench/nights/record_json.hpp"

#include <fstream>
#include <iterator>

#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "schema/wire/json.hpp"

namespace vigil::nights {

using nlohmann::json;

namespace {

template <class T>
json or_null(const std::optional<T>& value) {
    return value ? json(*value) : json();
}

std::optional<int> number_or_none(const json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end() || found->is_null()) return std::nullopt;
    return found->get<int>();
}

json options_json(const Options& o) {
    return {
        {"seed", o.seed},
        {"noises", o.noises},
        {"memory", o.memory},
        {"benches", o.benchmarks},
        {"classes", o.classes},
        {"workers", o.workers},
        {"nights", o.nights},
        {"warm", o.warm},
        {"rate", o.rate},
        {"gap", o.gap},
        {"commits", {o.fewest_commits, o.most_commits}},
        {"moves", o.moves},
        {"broken", o.broken},
        {"merges", o.merges}};
}

Options read_options(const json& value) {
    Options o;
    value.at("seed").get_to(o.seed);
    value.at("noises").get_to(o.noises);
    value.at("memory").get_to(o.memory);
    value.at("benches").get_to(o.benchmarks);
    value.at("classes").get_to(o.classes);
    value.at("workers").get_to(o.workers);
    value.at("nights").get_to(o.nights);
    value.at("warm").get_to(o.warm);
    value.at("rate").get_to(o.rate);
    value.at("gap").get_to(o.gap);
    value.at("commits").at(0).get_to(o.fewest_commits);
    value.at("commits").at(1).get_to(o.most_commits);
    value.at("moves").get_to(o.moves);
    value.at("broken").get_to(o.broken);
    value.at("merges").get_to(o.merges);
    return o;
}

Commits read_commits(const json& value, int nights) {
    std::vector<Place> places;
    for (const auto& at : value.at("at")) {
        Place place;
        at.at(0).get_to(place.pos);
        if (!at.at(1).is_null()) at.at(1).get_to(place.left);
        if (!at.at(2).is_null()) at.at(2).get_to(place.index);
        at.at(3).get_to(place.night);
        places.push_back(place);
    }
    return {std::move(places), value.at("broken").get<std::set<int>>(), nights};
}

World read_parts(const json& value) {
    const auto options = read_options(value.at("options"));
    auto commits = read_commits(value, options.nights);
    Options empty = options;
    empty.rate = 0;
    const World names(empty);
    std::map<std::string, int> numbers;
    std::vector<std::vector<Event>> events;
    for (const auto& one : names.series()) {
        numbers.emplace(one.id, numbers.size());
        auto& its = events.emplace_back();
        for (const auto& event : value.at("series").at(one.id).at("events")) {
            its.push_back({event.at(0), event.at(1)});
        }
    }
    std::vector<Plant> plants;
    for (const auto& row : value.at("plants")) {
        Plant plant;
        plant.series = numbers.at(row.at("series"));
        row.at("kind").get_to(plant.kind);
        row.at("pct").get_to(plant.percent);
        row.at("night").get_to(plant.night);
        row.at("inside").get_to(plant.inside);
        plant.commit = number_or_none(row, "commit");
        plant.revert = number_or_none(row, "revert");
        plant.back = number_or_none(row, "back");
        plants.push_back(plant);
    }
    return {options, std::move(commits), std::move(plants), std::move(events)};
}

json issue_json(const Issue& issue, const World& world) {
    auto series = json::array();
    for (const auto& one : issue.series) {
        const auto recovered = one.recovered == 0 ? json() : json(one.recovered);
        const auto& id = world.series()[static_cast<std::size_t>(one.series)].id;
        series.push_back({{"series", id}, {"recovered", recovered}});
    }
    return {
        {"id", issue.id},
        {"nightly", issue.nightly},
        {"state", issue.state},
        {"reason", issue.reason},
        {"culprit", or_null(issue.culprit)},
        {"good", issue.good},
        {"bad", issue.bad},
        {"suspects", issue.suspects},
        {"series", series}};
}

void write_truth(json& value, const World& world) {
    const auto& commits = world.commits();
    value["options"] = options_json(world.options());
    value["warm"] = world.options().warm;
    value["nights"] = world.options().nights;
    auto& at = value["at"] = json::array();
    auto& broken = value["broken"] = json::array();
    for (int i = 0; i < commits.count(); ++i) {
        const auto& place = commits.at(i);
        const auto left = place.on_branch() ? json(place.left) : json();
        const auto index = place.on_branch() ? json(place.index) : json();
        at.push_back({place.pos, left, index, place.night});
        if (commits.is_broken(i)) broken.push_back(i);
    }
    auto& series = value["series"] = json::object();
    for (const auto& one : world.series()) {
        auto events = json::array();
        for (const auto& event : one.events) events.push_back({event.commit, event.size});
        series[one.id] = {{"noise", one.noise_name}, {"time", one.is_time}, {"events", events}};
    }
    auto& plants = value["plants"] = json::array();
    for (const auto& plant : world.plants()) {
        const auto& one = world.series()[static_cast<std::size_t>(plant.series)];
        plants.push_back(
            {{"series", one.id},
             {"noise", one.noise_name},
             {"kind", plant.kind},
             {"pct", plant.percent},
             {"night", plant.night},
             {"commit", or_null(plant.commit)},
             {"inside", plant.inside},
             {"time", one.is_time},
             {"revert", or_null(plant.revert)},
             {"back", or_null(plant.back)}});
    }
    auto& moves = value["move_nights"] = json::object();
    for (const auto& [night, what] : world.move_nights()) moves[std::to_string(night)] = what;
}

void write_said(json& value, const World& world, const Record& record) {
    auto& reports = value["reports"] = json::array();
    for (const auto& report : record.reports) {
        reports.push_back(
            {{"id", report.id},
             {"night", report.night},
             {"version", report.version},
             {"title", report.title},
             {"regression", issue_json(report.issue, world)}});
    }
    auto& issues = value["regressions"] = json::array();
    for (const auto& issue : record.issues) issues.push_back(issue_json(issue, world));
    auto& suspicions = value["suspicions"] = json::array();
    for (const auto& one : record.suspicions) {
        suspicions.push_back(
            {{"series", world.series()[static_cast<std::size_t>(one.series)].id},
             {"night", or_null(one.night)},
             {"good", or_null(one.good)},
             {"change", one.change},
             {"verdict", one.verdict.empty() ? json() : json(one.verdict)},
             {"session", one.in_session}});
    }
    auto& drifts = value["drifts"] = json::array();
    for (const auto& one : record.drifts) {
        drifts.push_back(
            {{"series", world.series()[static_cast<std::size_t>(one.series)].id},
             {"night", or_null(one.night)},
             {"change", one.change}});
    }
    auto& storms = value["storms"] = json::array();
    for (const auto& one : record.storms) {
        storms.push_back({{"nightly", one.nightly}, {"state", one.state}});
    }
    auto& searches = value["bisections"] = json::array();
    for (const auto& [state, count] : record.searches) {
        for (int i = 0; i < count; ++i) searches.push_back({{"kind", "change"}, {"state", state}});
    }
}

void write_counts(json& value, const Record& record) {
    value["played"] = record.played;
    value["released"] = record.released;
    value["stuck"] = record.stuck;
    value["failed"] = record.failed;
    auto& nights = value["nightly_ids"] = json::object();
    for (const auto& [id, night] : record.nights) nights[std::to_string(id)] = night;
    auto& runs = value["runs"] = json::array();
    for (const auto& [key, count] : record.runs) {
        const auto& [night, purpose, machine_class, benchmark] = key;
        runs.push_back({night, purpose, machine_class, benchmark, count});
    }
    const auto by_purpose = [&](const char* name, const ByPurpose& counts) {
        auto& rows = value[name] = json::array();
        for (const auto& [key, count] : counts) rows.push_back({key.first, key.second, count});
    };
    by_purpose("jobs", record.jobs);
    by_purpose("built", record.built);
    // Of a play without a daemon there is nothing to tell here.
    for (const auto* name : {"errors", "log_trouble"}) value[name] = json::array();
    for (const auto* name : {"claims", "results"}) value[name] = {0.0};
    value["daemon_exit"] = 0;
    auto& timing = value["timing"] = json::array();
    for (std::size_t i = 0; i < record.service_cpu_s.size(); ++i) {
        const double cpu = record.service_cpu_s[i];
        const double own = record.world_cpu_s[i];
        timing.push_back({{"wall", cpu + own}, {"cpu", cpu}, {"own", own}, {"ledger", 0}});
    }
}

}  // namespace

World read_world(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) throw Error(Errc::not_found, "cannot read " + file.string());
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    try {
        return read_parts(wire::parse_json(text, file.string()));
    } catch (const std::exception& error) {
        throw Error(
            Errc::invalid_argument, file.string() + " is no record of a play: " + error.what());
    }
}

void write_play(const std::filesystem::path& file, const World& world, const Record& record) {
    json value = json::object();
    write_truth(value, world);
    write_said(value, world, record);
    write_counts(value, record);
    std::ofstream out(file, std::ios::binary);
    out << value.dump() << "\n";
    out.close();
    if (!out) throw Error(Errc::unavailable, "cannot write " + file.string());
}

}  // namespace vigil::nights
