#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bisect/search/search.hpp"
#include "schema/model/ids.hpp"
#include "schema/model/text_ids.hpp"
#include "service/store/findings/bisections.hpp"

// What a search found, by cause: each becomes a regression of its own. Pure.

namespace vigil::service {

/// One cause, and how the search ended there for each series that it moved. Series whose searches
/// ended alike have one cause; a series has several where several commits moved it.
struct Cause {
    std::vector<search::SeriesEnding> endings;  ///< not empty; alike in ending, first and last
    RegressionId regression;                    ///< who takes it; {0}: not decided
    /// In words, what a merge changed beside the commits it brought that are causes themselves; the
    /// endings only name the series then. Empty: it is no such rest.
    std::string rest = {};
};

/// Culprits first, in the order of their commits. A further change of a series is a cause where it
/// stands alone by itself (`stands_alone`).
/// @param inside  of a merge: what its parent does not show alone is one cause, the merge
std::vector<Cause> causes_of(const BisectionConclusion& conclusion, bool inside);

/// What was verified is the size of a commit, by builds of sources.
void mark_of_sources(BisectionConclusion& conclusion);

/// Where nights come as archives, the search's ends are builds of their sources. What these do not
/// show is no false alarm: the archives differ, and the whole range stands, with the reason.
void keep_what_archives_show(BisectionConclusion& conclusion, int suspects);

/// What a merge, or a range that holds it, changed beside the named commits that the merge brought.
struct Left {
    int series = 0;
    double change_ratio = 0;
    bool is_sure = false;  ///< by four errors; else it is only likely, by two
};

/// By series, what is left and large enough for a report of its own. None where the search knows of
/// more among the commits.
/// @param around      [series] the merge, or the range, against what came before it; runs_after 0:
///                    not verified
/// @param thresholds  [series]
std::vector<Left> left_by_merge(
    const BisectionConclusion& conclusion,
    const std::vector<Comparison>& around,
    const std::vector<double>& thresholds);

/// What is known of a merge, or a range, that a search was inside of: what was verified of it, or
/// the confirmation of the whole night where that saw less. Verifications may be of few runs; an
/// outlier in one must not look like a change of the merge's own. runs_after 0: one of them is
/// missing.
Comparison surer_of(const Comparison& verified, const Comparison& confirmed);

/// What is surely left, as a cause of its own.
std::optional<Cause> rest_of_merge(const std::vector<Left>& left);

/// What is likely left of one cause's series, in words. Empty: nothing.
std::string likely_left(const Cause& cause, const std::vector<Left>& left);

/// Verified changes that are no causes: too small, better, or a stretch inside of a merge.
std::vector<search::SeriesEnding> lesser_changes(
    const BisectionConclusion& conclusion, bool inside);

/// In words, what else changed the series of one cause within the same range: other causes, each
/// with its regression; changes too small for one; what most likely remains. Empty: nothing.
/// @param line  commits by position
std::string others_in_words(
    const Cause& cause,
    const std::vector<Cause>& causes,
    const BisectionConclusion& conclusion,
    bool inside,
    const std::vector<Revision>& line);

/// Begins what is said, in words, of a search inside of a merge.
std::string searched_inside(const InsideOf& inside);

/// Why a cause's regression stands where its search left it, in words.
/// @param inside   of what the search was, if it was inside of a merge
/// @param before   what was said of the regression before
/// @param others   see others_in_words
/// @param why_not  why the search does not go on inside of a merge; empty: nothing is to be said
std::string reason_of(
    const Cause& cause,
    const std::optional<InsideOf>& inside,
    const std::string& before,
    const std::string& others,
    const std::string& why_not);

}  // namespace vigil::service
