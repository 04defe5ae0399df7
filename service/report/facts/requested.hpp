#pragma once

#include <cstdint>
#include <string>

#include "service/config/config.hpp"
#include "service/store/findings/reported.hpp"

// The assignee of a regression, as a tracker knows people. Pure functions.

namespace vigil::service {

/// The login of somebody who stands in a commit or was named by a person; empty: it is not known.
/// The config's `logins` know an address or a name; an address of GitHub's own
/// (`7+ada@users.noreply.github.com`) holds its login.
/// @param email  may be empty
std::string login_of(const ReportTarget& target, const std::string& name, const std::string& email);

/// Whose turn it is at a time: the logins of `on_call`, one after the other, from a Monday on.
/// Empty: nobody is on call.
std::string on_call_at(const ReportTarget& target, std::int64_t at_s);

/// Whom a person named, else the author of the culprit, else whoever was on call when it was found;
/// empty: of none of them a login is known.
std::string login_to_ask(const ReportTarget& target, const RequestedRow& about);

}  // namespace vigil::service
