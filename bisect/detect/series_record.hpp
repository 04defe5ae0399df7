#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bisect/detect/bar.hpp"
#include "bisect/trend/level_state.hpp"

namespace vigil::detect {

/// What a session is asked.
enum class Asked {
    worse,      ///< is tonight's build worse than the old ones?
    better,     ///< is it better?
    recovered,  ///< is it as good as the build from before a filed regression?
    either,     ///< anything: the nights alone cannot tell
};

/// A question that tonight raised and that waits for its answer.
struct Question {
    Asked asked = Asked::worse;
    bool is_creep = false;   ///< about a sum of small changes
    bool in_halves = false;  ///< the first two blocks are asked for in halves
    /// Whose builds are side A in turn; the first is the one of the filed pair.
    std::vector<std::int64_t> old_nights;
    RunNoise run;             ///< of the nights before tonight; spread 0: the session learns it
    double night_spread = 0;  ///< of the nights before tonight, log
    double baseline = 0;      ///< badness
    double moved = 0;         ///< tonight over it
    double expected = 0;      ///< what of that earlier nights explain
    double sum = 0;           ///< of a creep, log

    bool operator==(const Question&) const = default;
};

/// A question that had no answer: it goes on with the next night's build.
struct GoingOn {
    Asked asked = Asked::worse;
    bool is_creep = false;
    std::vector<std::int64_t> old_nights;
    SessionEvidence evidence;  ///< of all its sessions; variance 0: none could be judged
    double above = 0;          ///< P(above the threshold) by them
    int measured = 0;          ///< nights with a session
    int waited = 0;            ///< nights it had no turn since
    double moved = 0;          ///< mean move of these nights, log
    double sum = 0;            ///< of a creep, log

    bool operator==(const GoingOn&) const = default;
};

/// A night whose answer keeps the same question from being asked for a while.
struct Refused {
    std::int64_t night = 0;
    int times = 0;   ///< in a row
    double sum = 0;  ///< of a creep, log

    bool operator==(const Refused&) const = default;
};

/// All that is remembered of a series from night to night: about two kilobytes, however long it is.
/// What it knows of its levels stands in `shape`, whose nights are those of `ids`.
struct SeriesRecord {
    explicit SeriesRecord(Direction direction) : shape(direction) {}

    trend::LevelState shape;
    std::vector<std::int64_t> ids;    ///< of the nights that `shape` remembers
    std::vector<SeriesNight> nights;  ///< the newest, oldest first
    RunNoise levels_by;               ///< what the levels of these nights were told by
    std::uint32_t era = 0;            ///< of the next night
    std::size_t level_nights = 0;     ///< of the current level
    std::int64_t level_begin = 0;     ///< its first night
    std::vector<double> first;        ///< badness of its first nights, at most rule.oldest_nights
    std::optional<LastSession> last;  ///< of this level
    std::optional<GoingOn> going_on;  ///< until tonight's question has its answer
    std::optional<Refused> creep_refused, recovery_refused;
    std::optional<Question> question;  ///< tonight's
};

/// Changes whenever a stored record would be read or continued in another way.
inline constexpr unsigned record_version = 2;

/// The record as bytes, the same on every machine.
std::vector<std::byte> write_record(const SeriesRecord& record);

/// The record that these bytes are of.
/// @return  nullopt when they are of another version, or of no record at all
std::optional<SeriesRecord> read_record(std::span<const std::byte> bytes);

}  // namespace vigil::detect
