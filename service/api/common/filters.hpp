#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/http/message.hpp"
#include "service/config/config.hpp"

namespace vigil::service {

class Database;

/// The filters of a list route that name something. A name that neither the ledger nor the config
/// has is refused, with the nearest one: an empty list would say that all is well.
/// Every function gives nothing when its filter was not given, and throws Error{invalid_argument}
/// for a value that names nothing.
class Filters {
  public:
    /// Everything must outlive it.
    Filters(const http::Request& request, Database& db, const Config& config)
        : request_(request), db_(db), config_(config) {}

    std::optional<std::string> project() const;
    std::optional<std::string> benchmark() const;
    std::optional<std::string> variant() const;
    std::optional<std::string> machine_class() const;
    std::optional<std::string> worker() const;
    std::optional<std::string> version() const;       ///< of a nightly
    std::optional<std::string> event_kind() const;    ///< filter `kind`
    std::optional<std::string> trouble_kind() const;  ///< filter `kind`
    std::optional<std::string> subject() const;       ///< of an event: thing/name

    /// A full hash as it is, known or not; a short one, 4 digits at least, as the commit among
    /// builds and nightlies that it begins.
    std::optional<std::string> revision() const;
    /// The same, among culprits of regressions.
    std::optional<std::string> culprit() const;

    /// A nightly, by its number or its name (2026-11-22, 2026-11-22.2; the first of a day also with
    /// .1). A day of several nightlies is refused, and so is a name that several projects have: the
    /// error names them.
    std::optional<std::int64_t> nightly() const;

    /// The id of a row that is there. @param name  of the filter and of its table
    std::optional<std::int64_t> id(const std::string& name) const;

    /// One of these words.
    std::optional<std::string> one_of(
        const std::string& name, const std::vector<std::string>& words) const;
    std::optional<std::int64_t> flag(const std::string& name) const;  ///< 0 or 1

    std::optional<std::int64_t> since_s() const;
    /// Must not lie before since_s.
    std::optional<std::int64_t> until_s() const;

  private:
    std::optional<std::string> full_hash(const std::string& name, std::string_view table) const;

    const http::Request& request_;
    Database& db_;
    const Config& config_;
};

}  // namespace vigil::service
