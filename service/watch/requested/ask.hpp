#pragma once

#include <cstdint>
#include <vector>

#include "schema/model/ids.hpp"
#include "service/config/config.hpp"
#include "service/store/database.hpp"
#include "service/store/findings/reported.hpp"
#include "service/store/findings/requests.hpp"

// How something comes to be asked for, whoever asks: within the same limits.

namespace vigil::service {

inline constexpr int max_runs_of_request = 2000;  // of everything that one may ask for
inline constexpr int max_open_requests = 100;

/// What is run for a series of a regression.
RequestedVariant variant_of(const ReportedSeries& series);

/// Every variant that the project's matrix measures, on each of its classes, once.
std::vector<RequestedVariant> list_measured_variants(const ProjectConfig& config);

/// How many runs it may take; those of a search are not among them.
/// @param runs  of each build and variant; 0: until it is decided
int most_runs(RequestKind kind, std::size_t variants, int runs);

/// 0, where a request may go on until all of it is decided; else how many runs of each build and
/// variant fit into the largest one.
int runs_that_fit(RequestKind kind, std::size_t variants);

/// Adds the request where the limits allow it.
/// @throws Error{invalid_argument} where it is too large, or has nothing to compare;
///         Error{conflict} where too many are open
RequestId ask(Database& db, const NewRequest& wanted, std::int64_t now_s);

/// What is asked about a regression.
enum class RequestedAgain {
    its_series,  ///< both of its builds are compared, by what it is about
    everything,  ///< the same by all that the project measures
    search       ///< its range is searched, by the series that changed most
};

/// Asks for it. The series are those that are still worse, or all where none is.
/// @param by  who asks
/// @throws Error{not_found}; Error{conflict} where it cannot be measured, with what to do
RequestId ask_again(
    Database& db,
    const Config& config,
    RegressionId regression,
    RequestedAgain what,
    const std::string& by,
    std::int64_t now_s);

}  // namespace vigil::service
