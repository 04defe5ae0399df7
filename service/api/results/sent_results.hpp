#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schema/http/message.hpp"
#include "service/api/common/context.hpp"
#include "service/watch/night/external.hpp"

// POST /api/v1/results: what was measured elsewhere. The body is read beside the ledger's writer.

namespace vigil::service {

/// One of several files that could not be taken.
struct LeftOutFile {
    std::string file;  ///< its name, else its place in the body
    std::string why;
};

struct SentResults {
    ProjectConfig project;
    std::vector<SentNight> nights;  ///< oldest first; at least one
    std::vector<LeftOutFile> left_out;
};

/// Reads what was sent: a file of any format of schema/harness, with the query saying what the file
/// does not; an object of "nights"; or one night a line. Of several nights all but the newest are
/// history. Takes as long as it is large: neither the io thread nor the writer does it.
/// @throws Error{invalid_argument} naming the parameter, or the place in the body;
///         BudgetError; Error{not_found} when there is no such project, Error{conflict} when it is
///         measured here
SentResults read_results(
    const http::Request& request,
    const std::string& body,
    const Config& config,
    std::int64_t now_s);

}  // namespace vigil::service
