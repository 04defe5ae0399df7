#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>

namespace date {
class time_zone;
}

namespace vigil::service {

/// A schedule in the five fields of cron, in one time zone: minute (0-59), hour (0-23), day of the
/// month (1-31), month (1-12 or jan-dec), day of the week (0-7 or sun-sat; 0 and 7 are Sunday).
/// A field is a list of `*`, `*/step`, `a`, `a-b` or `a-b/step`.
///
/// As in POSIX: when both day fields are restricted (anything but `*`), either may match.
/// A local time that a clock change skips runs once, at the first instant after the gap; one that
/// comes twice runs the first time only. Transitions are known as far as the system's tz database
/// lists them.
///
/// A value; safe to copy. Its zone belongs to the process's tz database, which is never reloaded.
class Cron {
  public:
    /// @param zone  IANA name, e.g. "Europe/Berlin"
    /// @throws Error{invalid_argument} naming the field and what is allowed; also for a schedule
    ///         that never comes, such as 30 February, and for an unknown zone
    static Cron parse(std::string_view text, std::string_view zone);

    /// The first time of the schedule that is later than `utc_s`; always a whole minute.
    /// @param utc_s  0 .. 250'000'000'000 (year 9892)
    std::int64_t next_after(std::int64_t utc_s) const;

  private:
    Cron() = default;
    bool never_comes() const;
    bool matches_day(unsigned day, unsigned month, unsigned weekday) const;

    std::bitset<60> minutes_;
    std::bitset<24> hours_;
    std::bitset<32> days_;     // 1..31
    std::bitset<13> months_;   // 1..12
    std::bitset<8> weekdays_;  // 0..6
    bool any_day_ = false;
    bool any_weekday_ = false;
    const date::time_zone* zone_ = nullptr;
};

}  // namespace vigil::service
