#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "schema/http/message.hpp"
#include "service/api/common/context.hpp"
#include "service/watch/night/elsewhere.hpp"

// POST /api/v1/results: what was measured elsewhere. The body is read beside the ledger's writer,
// and its nights are taken in groups, so that others get their turn.

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

/// Takes the nights of one request, group by group.
class ResultsTaking {
  public:
    /// @param token  name of the one that sent them
    ResultsTaking(const SentResults& sent, std::string token)
        : sent_(sent), token_(std::move(token)) {}

    bool is_done() const { return taken_.size() == sent_.nights.size(); }
    /// The next nights, whole ones and not many values, in the caller's transaction on the writer.
    void take_some(Database& db, std::int64_t now_s);
    /// What became of them: 201 when something is new, else 200.
    http::Response response() const;

  private:
    const SentResults& sent_;
    std::string token_;
    std::vector<TakenNight> taken_ = {};
};

}  // namespace vigil::service
