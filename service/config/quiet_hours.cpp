#include "service/config/quiet_hours.hpp"

#include <string>

#include <fmt/format.h>

#include "schema/model/error.hpp"
#include "service/config/cron.hpp"

namespace vigil::service {

namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// "22:05", as a schedule of every day.
Cron daily_at(const std::string& time, const std::string& zone) {
    if (const auto problem = clock_time_problem(time); !problem.empty()) {
        throw Error(Errc::invalid_argument, "the time of day \"" + time + "\" " + problem);
    }
    return Cron::parse(
        fmt::format("{} {} * * *", std::stoi(time.substr(3)), std::stoi(time.substr(0, 2))), zone);
}

}  // namespace

std::optional<std::int64_t> quiet_until(const QuietHours& quiet, std::int64_t now_s) {
    const auto begin_s = daily_at(quiet.from, quiet.time_zone).next_after(now_s);
    const auto end_s = daily_at(quiet.to, quiet.time_zone).next_after(now_s);
    if (end_s < begin_s) return end_s;  // they end before they begin again
    return std::nullopt;
}

std::string clock_time_problem(std::string_view text) {
    const bool shaped = text.size() == 5 && text[2] == ':' && is_digit(text[0]) &&
                        is_digit(text[1]) && is_digit(text[3]) && is_digit(text[4]);
    const bool fine = shaped && text.substr(0, 2) < "24" && text.substr(3) < "60";
    return fine ? "" : "must be a time of day, e.g. \"22:00\"";
}

}  // namespace vigil::service
