#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "service/api/common/handlers.hpp"
#include "service/api/rows/asker.hpp"
#include "service/store/lists/lists.hpp"

// Findings as the API lists them (asker.hpp).

namespace vigil::service {

/// What became of a regression.
struct RegressionStanding {
    static constexpr Handler list = list_of<lists::regressions>;

    std::int64_t nightly = 0;
    std::string state;
    std::optional<std::string> ended_as;

    /// How it ended, else its state.
    const std::string& standing() const { return ended_as ? *ended_as : state; }
    /// Whether it is one still: it was neither refuted nor not reproduced.
    bool holds() const;
};

struct ListedSize : ListedChange {
    double before = 0;
    double after = 0;
};

struct ListedToday : ListedChange {
    std::int64_t nightly = 0;
    std::string night;
};

struct ListedSeriesChange : NamedSeries {
    std::int64_t series = 0;
    std::string unit;
    std::optional<double> change_ratio;  ///< of the night alone
    std::optional<ListedSize> size;      ///< nothing: it was not measured again
    std::optional<ListedToday> today;
    std::optional<std::int64_t> recovered_nightly;

    /// By how much it got worse, see ratio_of.
    std::optional<double> worse() const;
};

struct ListedCommit {
    std::string revision;
    std::string subject;
    std::string author;
};

struct RegressionLinks {
    std::optional<std::string> issue, culprit, range;
};

struct ListedRegression : RegressionStanding {
    static constexpr Handler list = list_of<lists::regressions, add_worst>;

    std::int64_t id = 0;
    std::string project, good_revision, bad_revision;
    std::int64_t created_at_s = 0;
    std::optional<std::string> assigned;
    bool muted = false;
    std::optional<ListedCommit> culprit_commit;
    std::vector<ListedSeriesChange> series;
    RegressionLinks links;

    /// The series that got worse the most; null where none has a size.
    const ListedSeriesChange* worst() const;
};

struct ReportName {
    std::int64_t id = 0;
    std::string title;
};

/// What a person last said of it.
struct LastAnswer {
    std::string by, reason;
    std::int64_t at_s = 0;
};

/// One regression alone.
struct WholeRegression : ListedRegression {
    static constexpr Handler one = get_regression;

    std::optional<std::int64_t> bisection;
    std::optional<std::string> culprit;
    std::string reason;
    std::optional<LastAnswer> answer;
    std::vector<ReportName> reports;   ///< the newest first
    std::vector<std::int64_t> missed;  ///< those that people told, because it was not found
};

struct ListedReport {
    static constexpr Handler one = one_of<lists::reports>;

    int version = 0;
    std::int64_t created_at_s = 0;
    std::string body;
};

struct ListedEvent {
    static constexpr Handler list = list_of<lists::events>;

    std::int64_t at_s = 0;
    std::string kind, message;

    const std::string& words() const { return message.empty() ? kind : message; }
};

struct ListedMute {
    static constexpr Handler list = list_of<lists::mutes>;

    std::optional<std::int64_t> regression;
    std::int64_t until_s = 0;
};

struct ListedMissed {
    static constexpr Handler one = one_of<lists::missed>;

    std::string by, night;
    std::optional<std::string> commit;
};

struct ListedTrouble {
    static constexpr Handler list = list_of<lists::troubles>;

    std::string subject;
    std::string message;
    std::int64_t since_s = 0;
};

}  // namespace vigil::service
