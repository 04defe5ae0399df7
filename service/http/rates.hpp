#pragma once

#include <chrono>
#include <map>
#include <string>

#include "schema/http/message.hpp"

namespace vigil::service {

/// What a caller may still ask for.
struct Allowance {
    int limit = 0;                  ///< requests a minute
    int remaining = 0;              ///< of these
    std::chrono::seconds reset{0};  ///< until all are there again
    std::chrono::seconds wait{0};   ///< of one that asked too much; 0: it may
};

/// How many requests a minute each caller makes; a minute's worth may come at once. A pure function
/// of its calls.
class RequestRates {
  public:
    using Time = std::chrono::steady_clock::time_point;

    /// One request. @param limit  a minute, at least 1
    Allowance take(const std::string& caller, int limit, Time now);

  private:
    void make_room(Time now);

    std::map<std::string, Time> paid_until_;  // each request pays for its share of a minute
};

/// Says in a reply where the caller stands.
void tell_allowance(http::Response& response, const Allowance& allowance);

}  // namespace vigil::service
