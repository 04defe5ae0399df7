#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "service/api/common/handlers.hpp"
#include "service/api/rows/asker.hpp"
#include "service/store/lists/lists.hpp"

// Machines and their work as the API lists them (asker.hpp).

namespace vigil::service {

struct ListedWorker {
    static constexpr Handler list = list_of<lists::workers, add_unseen>;

    std::int64_t id = 0;
    std::string name, machine_class, state, reason;
    std::int64_t last_seen_at_s = 0;
    std::optional<std::int64_t> unseen_s, job;
    std::optional<FactTexts> fingerprint, containment;

    bool is_held() const { return state == "quarantined"; }
    bool is_silent() const { return !is_held() && unseen_s; }
};

struct ListedJob {
    static constexpr Handler list = list_of<lists::jobs, tell_time_of_day>;

    std::int64_t id = 0;
    std::string project, purpose, message;
    std::optional<std::string> worker, progress;
    std::optional<std::int64_t> lease_expires_at_s;
    std::int64_t created_at_s = 0;
};

struct ListedAllocation {
    static constexpr Handler list = list_of<lists::allocations>;

    std::string machine_class, name, state, machine, reason;
    std::int64_t created_at_s = 0;
};

struct ListedCanary {
    static constexpr Handler list = list_of<lists::canaries>;

    std::int64_t nightly = 0;
    std::string night, state, message;
    std::optional<double> moved_ratio;
    std::int64_t created_at_s = 0;
};

struct ChangedFact {
    std::string fact;
    FactText before, after;
};
void from_json(const nlohmann::json& object, ChangedFact& changed);

struct ListedEnvironment {
    static constexpr Handler list = list_of<lists::environments, tell_changed>;

    std::int64_t at_s = 0;
    std::vector<ChangedFact> changed;
};

/// A message of a report, or a notice: what is sent to a target.
struct ListedPost {
    std::int64_t id = 0;
    std::string target, message;
};

struct ListedMessage : ListedPost {
    static constexpr Handler list = list_of<lists::outbox, tell_next_attempt>;

    std::string title, state;
    int attempts = 0;
    std::optional<std::int64_t> next_attempt_at_s;
    std::int64_t created_at_s = 0;
};

struct ListedNotice : ListedPost {
    static constexpr Handler list = list_of<lists::notices, tell_next_attempt>;

    std::int64_t number = 0;
    std::optional<std::string> revision;
    std::int64_t changed_at_s = 0;
};

struct ListedDelivery {
    static constexpr Handler list = list_of<lists::deliveries>;

    std::string event, state, message;
    std::int64_t received_at_s = 0;
};

}  // namespace vigil::service
