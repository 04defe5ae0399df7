#include "service/api/results/results_taking.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "service/api/common/handlers.hpp"
#include "service/store/ids.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr std::size_t max_reported = 200;  // lines of a reply on what was left out

}  // namespace

void ResultsTaking::take_some(Database& db, std::int64_t now_s) {
    std::size_t values = 0;
    auto next = next_;
    std::vector<std::pair<std::size_t, TakenNight>> parts;
    // Anew for each group: between two of them a person may have an import undone.
    NightTaker taker(sent_.project, token_);
    while (next.night < sent_.nights.size() && values < readings_at_once) {
        const auto& night = sent_.nights[next.night];
        const auto part = part_from(night, next.reading);
        parts.emplace_back(next.night, taker.take(db, night, part, now_s));
        values += parts.back().second.is_again ? 1 : part.end - part.begin + 10;
        const bool is_last = part.end == night.readings.size();
        next = is_last ? Place{next.night + 1, 0} : Place{next.night, part.end};
    }
    for (auto& [night, part] : parts) {
        if (night < taken_.size()) part.is_again = part.is_again && taken_[night].is_again;
        taken_.resize(night);
        taken_.push_back(std::move(part));
    }
    next_ = next;
}

http::Response ResultsTaking::response() const {
    auto nights = json::array();
    std::size_t fresh = 0;
    std::size_t told = 0;
    const auto told_lines = [&](const std::vector<std::string>& lines) {
        const auto end = std::min(lines.size(), max_reported - std::min(told, max_reported));
        told += end;
        return std::vector(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(end));
    };
    for (std::size_t i = 0; i < taken_.size(); ++i) {
        const auto& sent = sent_.nights[i];
        const auto& taken = taken_[i];
        fresh += taken.is_again ? 0 : 1;
        nights.push_back(
            {{"nightly", taken.id.value},
             {"name", taken.name},
             {"version", sent.version},
             {"revision", sent.revision.str()},
             {"machine_class", sent.machine_class},
             {"state", to_string(taken.state)},
             {"readings", sent.readings.size()},
             {"again", taken.is_again},
             {"left_out", told_lines(sent.left_out)},
             {"left_out_count", sent.left_out_count}});
    }
    auto files = json::array();
    for (const auto& [file, why] : sent_.left_out) {
        if (files.size() < max_reported) files.push_back({{"file", file}, {"why", why}});
    }
    json reply = {
        {"project", sent_.project.name},
        {"taken", fresh},
        {"again", taken_.size() - fresh},
        {"nights", std::move(nights)},
        {"files_left_out", std::move(files)},
        {"files_left_out_count", sent_.left_out.size()}};
    auto response = object_response(std::move(reply), fresh > 0 ? 201 : 200);
    if (!taken_.empty()) {
        response.headers["location"] = "/api/v1/nightlies/" + to_string(taken_.back().id);
    }
    return response;
}

}  // namespace vigil::service
