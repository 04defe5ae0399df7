#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/model/ids.hpp"
#include "service/store/database.hpp"

// What a person takes out of all judgement (table withdrawal): a night, or what one worker measured
// in it.

namespace vigil::service {

/// One that stands.
struct Withdrawal {
    std::string worker;  ///< empty: the whole night
    std::string reason;
    std::string by;  ///< name of the token
    std::int64_t since_s = 0;
    bool cut_off = false;  ///< the night was being confirmed
};

/// Those of a nightly that stand, the whole night first.
std::vector<Withdrawal> list_withdrawals(Database& db, NightlyId nightly);

/// That of exactly this part, if it stands.
/// @param worker  nullopt: of the whole night
std::optional<Withdrawal> find_withdrawal(
    Database& db, NightlyId nightly, std::optional<WorkerId> worker);

struct NewWithdrawal {
    NightlyId nightly;
    std::optional<WorkerId> worker;
    std::string reason;
    std::string by;
    bool cut_off = false;
};
void add_withdrawal(Database& db, const NewWithdrawal& withdrawal, std::int64_t now_s);

void end_withdrawal(
    Database& db, NightlyId nightly, std::optional<WorkerId> worker, std::int64_t now_s);

}  // namespace vigil::service
