#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "schema/http/message.hpp"
#include "service/api/results/sent_results.hpp"
#include "service/store/database.hpp"

namespace vigil::service {

/// Takes the nights of one request, group by group.
class ResultsTaking {
  public:
    /// @param token  name of the one that sent them
    ResultsTaking(const SentResults& sent, std::string token)
        : sent_(sent), token_(std::move(token)) {}

    bool is_done() const { return next_.night == sent_.nights.size(); }
    /// The next nights or part of one, not many values, in the caller's transaction on the writer.
    void take_some(Database& db, std::int64_t now_s);
    /// What became of them: 201 when something is new, else 200.
    http::Response response() const;

  private:
    struct Place {
        std::size_t night = 0;
        std::size_t reading = 0;
    };

    const SentResults& sent_;
    std::string token_;
    Place next_ = {};
    std::vector<TakenNight> taken_ = {};
};

}  // namespace vigil::service
