#include "service/fleet/cluster_words.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "schema/text/lines.hpp"

namespace vigil::service {

namespace {

using Word = std::pair<std::string_view, ClusterState>;

constexpr std::array states{
    Word{"PENDING", ClusterState::pending},
    Word{"REQUEUED", ClusterState::pending},
    Word{"REQUEUE_FED", ClusterState::pending},
    Word{"REQUEUE_HOLD", ClusterState::pending},
    Word{"SPECIAL_EXIT", ClusterState::pending},
    Word{"RESV_DEL_HOLD", ClusterState::pending},
    Word{"CONFIGURING", ClusterState::starting},
    Word{"POWER_UP_NODE", ClusterState::starting},
    Word{"RUNNING", ClusterState::running},
    Word{"RESIZING", ClusterState::running},
    Word{"SIGNALING", ClusterState::running},
    Word{"SUSPENDED", ClusterState::suspended},
    Word{"STOPPED", ClusterState::suspended},
    Word{"COMPLETING", ClusterState::completing},
    Word{"STAGE_OUT", ClusterState::completing},
    Word{"COMPLETED", ClusterState::completed},
    Word{"FAILED", ClusterState::failed},
    Word{"CANCELLED", ClusterState::cancelled},
    Word{"REVOKED", ClusterState::cancelled},
    Word{"PREEMPTED", ClusterState::preempted},
    Word{"NODE_FAIL", ClusterState::node_failed},
    Word{"BOOT_FAIL", ClusterState::node_failed},
    Word{"TIMEOUT", ClusterState::timed_out},
    Word{"DEADLINE", ClusterState::timed_out},
    Word{"OUT_OF_MEMORY", ClusterState::out_of_memory}};

using Meaning = std::pair<std::string_view, std::string_view>;

// What no time heals: the request asks for more than the partition, the account or the quality of
// service ever gives, or for what the cluster does not have.
constexpr std::array endless{
    Meaning{"AccountNotAllowed", "the partition does not take the account"},
    Meaning{"AssocMaxCpuMinutesPerJobLimit", "the account does not allow jobs so long"},
    Meaning{"AssocMaxCpuPerJobLimit", "the account does not allow jobs so large"},
    Meaning{"AssocMaxGRESPerJob", "the account does not allow jobs with so many resources"},
    Meaning{"AssocMaxNodePerJobLimit", "the account does not allow jobs so large"},
    Meaning{"AssocMaxWallDurationPerJobLimit", "the account does not allow jobs so long"},
    Meaning{"BadConstraints", "no node has what is asked for"},
    Meaning{"DeadLine", "it cannot start before its deadline"},
    Meaning{"DependencyNeverSatisfied", "it waits for a job that failed"},
    Meaning{"InvalidAccount", "there is no such account"},
    Meaning{"InvalidQOS", "there is no such quality of service"},
    Meaning{"PartitionConfig", "no node of the partition has what is asked for"},
    Meaning{"PartitionNodeLimit", "the partition does not allow jobs so large"},
    Meaning{"PartitionTimeLimit", "the partition does not allow jobs so long"},
    Meaning{"QOSMaxCpuPerJobLimit", "the quality of service does not allow jobs so large"},
    Meaning{"QOSMaxGRESPerJob", "the quality of service does not allow so many resources"},
    Meaning{"QOSMaxNodePerJobLimit", "the quality of service does not allow jobs so large"},
    Meaning{"QOSMaxWallDurationPerJobLimit", "the quality of service does not allow jobs so long"},
    Meaning{"QOSMinGRES", "the quality of service wants more resources a job"},
    Meaning{"QOSNotAllowed", "the account or the partition does not take the quality of service"},
    Meaning{"QOSUsageThreshold", "the quality of service wants more usage"},
    Meaning{"ReservationDeleted", "the reservation is gone"},
    Meaning{
        wrong_user,
        "slurmrestd made it for another user: start slurmrestd as vigild's user, or "
        "let it take a token (fleet.slurmrestd_token_file)"},
    Meaning{"JobHoldMaxRequeue", "it was requeued too often, and is held"},
    Meaning{"JobLaunchFailure", "it could not be started, and is held"},
    Meaning{"launch failed requeued held", "it could not be started, and is held"}};

constexpr std::array passing{
    Meaning{"AssocGrpCpuLimit", "the account has all that it may have"},
    Meaning{"AssocMaxJobsLimit", "the account has as many jobs as it may have"},
    Meaning{"JobHeldAdmin", "an administrator holds it"},
    Meaning{"JobHeldUser", "it is held; release it with scontrol"},
    Meaning{"Priority", "jobs of higher priority come first"},
    Meaning{"QOSMaxJobsPerUserLimit", "the quality of service allows no more jobs at a time"},
    Meaning{"ReqNodeNotAvail", "the node that it needs is drained, down or reserved"},
    Meaning{"Resources", "all nodes are in use"}};

std::string_view first_word(std::string_view text) {
    return text.substr(0, text.find_first_of(" ,("));
}

template <std::size_t size>
const Meaning* find_meaning(const std::array<Meaning, size>& all, std::string_view reason) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const Meaning& one) {
        return one.first == reason || one.first == first_word(reason);
    });
    return found == all.end() ? nullptr : found;
}

}  // namespace

ClusterState parse_cluster_state(std::string_view word) {
    word = word.substr(0, word.find_first_of(" +"));
    const auto found = std::find_if(
        states.begin(), states.end(), [&](const Word& one) { return one.first == word; });
    return found == states.end() ? ClusterState::unknown : found->second;
}

bool is_over(ClusterState state) {
    switch (state) {
        case ClusterState::pending:
        case ClusterState::starting:
        case ClusterState::running:
        case ClusterState::suspended:
        case ClusterState::completing:
        case ClusterState::unknown: return false;
        default: return true;
    }
}

AllocationEnd end_of(ClusterState state) {
    switch (state) {
        case ClusterState::completed: return AllocationEnd::finished;
        case ClusterState::failed: return AllocationEnd::failed;
        case ClusterState::cancelled: return AllocationEnd::taken_back;
        case ClusterState::preempted: return AllocationEnd::preempted;
        case ClusterState::node_failed: return AllocationEnd::machine_failed;
        case ClusterState::timed_out: return AllocationEnd::timed_out;
        case ClusterState::out_of_memory: return AllocationEnd::out_of_memory;
        default: return AllocationEnd::lost;
    }
}

bool waits_for_ever(std::string_view reason) {
    return find_meaning(endless, reason) != nullptr;
}

std::string reason_words(std::string_view reason) {
    const auto* meaning = find_meaning(endless, reason);
    if (meaning == nullptr) meaning = find_meaning(passing, reason);
    std::string words(reason);
    if (meaning != nullptr) words += " (" + std::string(meaning->second) + ")";
    return words;
}

bool takes_no_jobs(std::string_view node_state) {
    constexpr std::array<std::string_view, 4> signs{"drain", "down", "fail", "maint"};
    return std::any_of(signs.begin(), signs.end(), [&](std::string_view sign) {
        return text::lower_case(std::string(node_state)).starts_with(sign);
    });
}

std::string short_line(std::string_view text) {
    return text::one_line(text, max_cluster_line_bytes);
}

std::string one_node(std::string_view text) {
    const bool plain =
        !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                   c == '-' || c == '_' || c == '.';
        });
    return plain ? std::string(text) : "";
}

std::string listed(const std::set<std::string>& nodes) {
    std::string all;
    for (const auto& node : nodes) all += (all.empty() ? "" : ",") + node;
    return all;
}

std::string reason_of(std::string_view text) {
    return text == "None" || text == "(null)" ? "" : short_line(text);
}

bool is_no_answer(std::string_view errors) {
    constexpr std::array<std::string_view, 9> signs{
        "Unable to contact slurm controller",
        "Unable to establish",
        "Socket timed out",
        "Connection refused",
        "Connection reset",
        "Zero Bytes were transmitted",
        "Transport endpoint is not connected",
        "temporarily unable",
        "Slurm backup controller in standby mode"};
    return std::any_of(signs.begin(), signs.end(), [&](std::string_view sign) {
        return errors.find(sign) != errors.npos;
    });
}

}  // namespace vigil::service
