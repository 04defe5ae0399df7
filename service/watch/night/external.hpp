#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "schema/model/ids.hpp"
#include "schema/model/metric.hpp"
#include "schema/model/states.hpp"
#include "schema/model/text_ids.hpp"
#include "service/config/config.hpp"
#include "service/config/series_rules.hpp"
#include "service/store/series/series.hpp"
#include "service/store/work/jobs.hpp"

// Results from elsewhere come in, and become nights like those that are measured here.

namespace vigil::service {

inline constexpr std::int64_t max_sent_series = 100'000;  // of a project that is measured elsewhere

/// Readings that are taken in one transaction: about half a second of the writer.
inline constexpr std::size_t readings_at_once = 5'000;

/// The variant of the time that a harness is there to measure; a definition may follow it.
inline constexpr const char* main_variant = "default";

/// One quantity of one benchmark.
struct SentReading {
    std::string benchmark;
    std::string variant;
    Metric metric = Metric::reported_value;
    std::string unit;
    std::optional<Direction> direction = Direction::lower_is_better;  ///< nullopt: not told
    std::vector<double> samples;  ///< in `unit`, in order; none: it failed
    double value = 0;             ///< their median
    double spread = 0;
    std::string failure = {};  ///< why it failed, one line
    std::string family = {};   ///< of a failure: as in harness::Reading
};

/// What was measured of one night on machines of one class.
struct SentNight {
    Revision revision;
    std::string version;
    std::int64_t time_s = 0;  ///< its place among the nights
    std::string machine_class;
    std::map<std::string, std::string> facts;  ///< of the machine
    std::vector<SentReading> readings;
    Digest digest;                           ///< of all this but the time
    bool is_history = false;                 ///< nothing is to be made of it, whatever it shows
    bool closes = false;                     ///< the night has all its results
    std::vector<std::string> left_out = {};  ///< rows that could not be taken, a line each
    std::size_t left_out_count = 0;          ///< all of them
};

/// One run that was asked for.
struct SentRun {
    int run = 0;                        ///< its place among those that were asked for
    std::vector<SentReading> readings;  ///< whatever its report holds
    std::string failure = {};           ///< why there is no report, one line
};

/// What came of the runs that were asked for elsewhere.
struct SentAnswer {
    int attempt = 0;
    std::map<std::string, std::string> facts = {};  ///< of the machine
    std::vector<SentRun> runs = {};
    std::string failure = {};  ///< why nothing was run, one line
    Digest digest = {};        ///< of all this
};

struct TakenAnswer {
    int passed = 0;         ///< runs with a value of what was asked
    bool is_again = false;  ///< the same was taken before: nothing changed
};

/// Readings of a night that are taken in one transaction, with a job and an import of their own.
struct NightPart {
    std::size_t begin = 0;
    std::size_t end = 0;  ///< behind the last of them
};

/// The next part of a night: not many more than readings_at_once, and all of a benchmark where they
/// lie together.
NightPart part_from(const SentNight& sent, std::size_t begin);

struct TakenNight {
    NightlyId id;
    std::string name;
    NightlyState state = NightlyState::measuring;  ///< measuring: it is not judged yet
    bool is_again = false;                         ///< the same was taken before: nothing changed
};

/// Takes nights of one project, one after the other, each in the caller's transaction on the
/// writer.
class NightTaker {
  public:
    /// @param token  name of the one that sends them
    explicit NightTaker(const ProjectConfig& config, std::string token = "")
        : config_(config), token_(std::move(token)), rules_(config) {}

    /// A night is known by its revision and version; what comes for one that is not judged yet is
    /// added to it. A night before the newest one is history, and so is what comes for a night that
    /// was judged: its values count, the records of its series are made anew, and nothing is
    /// opened.
    /// Parts come in their order; a night that was cut off between two of them is sent again.
    /// @throws Error{invalid_argument} where the project would have too many series
    TakenNight take(Database& db, const SentNight& sent, NightPart part, std::int64_t now_s);

    /// Takes an answer to the runs of a job: each run counts by its values of the benchmark and
    /// variant that were asked for. One that says why nothing was run gives the job back.
    /// @throws Error{not_found}; Error{conflict} when the attempt is over, or nobody was asked;
    ///         Error{invalid_argument} when it is not of the runs that were asked for
    TakenAnswer answer(
        Database& db,
        const JobConfig& rules,
        JobId job,
        const SentAnswer& sent,
        std::int64_t now_s);

  private:
    using SeriesKey = std::tuple<std::string, std::string, MachineClassId, Metric>;

    void write(
        Database& db, const SentNight& sent, NightPart part, const JobRow& job, BuildId build);
    int write(Database& db, const SentAnswer& sent, const JobRow& job, std::int64_t now_s);
    void write_value(Database& db, const JobRow& job, RunId run, const SentReading& reading);
    const SeriesForm& series_of(
        Database& db, ProjectId project, const SentReading& reading, MachineClassId machine_class);

    SeriesForm add_series(Database& db, const NewSeries& wanted);

    const ProjectConfig& config_;
    std::string token_;
    ProjectSeriesRules rules_;
    std::map<SeriesKey, SeriesForm> series_ = {};
    std::optional<std::int64_t> series_count_ = {};
};

}  // namespace vigil::service
