#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "schema/http/message.hpp"
#include "service/config/config.hpp"
#include "service/store/database.hpp"

namespace vigil::service {

/// The filters of a list route. A name that neither the ledger nor the config has is refused, with
/// the nearest one: an empty list would say that all is well.
class Filters {
  public:
    /// Everything must outlive it.
    Filters(const http::Request& request, Database& db, const Config& config)
        : request_(request), db_(db), config_(config) {}

    /// What the filter `name` of a list of such things asks for; NULL when it was not given.
    /// @throws Error{invalid_argument} for a value that names nothing
    Value value(std::string_view noun, const std::string& name) const;

    std::optional<std::string> project() const;
    std::optional<std::int64_t> since_s() const;
    /// Must not lie before since_s.
    std::optional<std::int64_t> until_s() const;

  private:
    std::optional<std::int64_t> bound(const std::string& name) const;
    std::string full_hash(const std::string& name, std::string hash) const;
    std::int64_t nightly(const std::string& name) const;
    std::string target(std::string name) const;
    std::int64_t id(const std::string& name) const;

    const http::Request& request_;
    Database& db_;
    const Config& config_;
};

}  // namespace vigil::service
