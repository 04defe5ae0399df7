#include "service/cli/ask/decisions.hpp"

#include "schema/model/states.hpp"
#include "service/cli/ask/change.hpp"
#include "service/cli/ask/lists.hpp"
#include "service/cli/ask/options.hpp"

namespace vigil::cli {

namespace {

const Option mute_until{"until", "WHEN", "end: in 14d or 12h, or on a day (2027-01-31)"};
const Option mute_owner{"owner", "NAME", "who is responsible (default: the token's name)"};
constexpr const char* mute_notes =
    "A muted regression is still found, measured and listed, but no issue is created or changed.\n"
    "A mute ends by itself, and then open regressions are reported. `vigil mutes` lists\n"
    "them.\n";

constexpr const char* missed_notes =
    "This night is compared with the last night before it that has a value. A confirmed change\n"
    "becomes a regression with its search, also below the threshold. `vigil precision` counts it\n"
    "as missed (recall).\n";

}  // namespace

std::vector<CommandSpec> deciding() {
    return {
        {"regression acknowledge",
         move_regression,
         {"ID"},
         "acknowledges a regression: a person is looking at it",
         {reason_option},
         {"vigil regression acknowledge 7"}},
        {"regression ack",
         move_regression,
         {"ID"},
         "the same, shorter",
         {reason_option},
         {"vigil regression ack 7 --reason 'I look at it today'"}},
        {"regression assign",
         assign_regression,
         {"ID"},
         "assigns a regression to a person",
         {{"to", "NAME", "the assignee"}, {"nobody", "", "unassign"}, reason_option},
         {"vigil regression assign 7 --to ada", "vigil regression assign 7 --nobody"}},
        {"regression accept",
         move_regression,
         {"ID"},
         "accepts the new level; needs --reason",
         {reason_option},
         {"vigil regression accept 7 --reason 'the price of the bounds check'"}},
        {"regression refute",
         move_regression,
         {"ID"},
         "marks a regression as a false positive; needs --reason",
         {reason_option},
         {"vigil regression refute 7 --reason 'the machine was being updated'"}},
        {"regression reopen",
         move_regression,
         {"ID"},
         "reopens an accepted, refuted or closed regression; needs --reason",
         {reason_option},
         {"vigil regression reopen 7 --reason 'it is back since Tuesday'"}},
        {"regression missed",
         tell_missed,
         {"SERIES"},
         "reports a missed regression; needs --since",
         {{"since", "NIGHT", "the first bad night: its number or name (12, 2026-11-22)"},
          {"commit", "COMMIT", "the suspected commit; it is displayed and not used"},
          {"take-back", "", "withdraws the report: it no longer counts"},
          reason_option},
         {"vigil regression missed 3 --since 2026-11-22 --commit 1a2b3c4d",
          "vigil regression missed 3 --since 2026-11-22 --take-back"},
         missed_notes},
        {"missed",
         list_missed,
         {},
         "missed regressions that people reported",
         {project_option,
          choice_option("state", "STATE", "only in this state", names_of<MissedState>()),
          whole_option("series", "ID", "only of this series", 1, max_id),
          limit_option},
         {"vigil missed --state undecided"}}};
}

std::vector<CommandSpec> muting() {
    return {
        {"regression mute",
         mute_thing,
         {"ID"},
         "snoozes a regression until a time; needs --until and --reason",
         {mute_until, mute_owner, reason_option},
         {"vigil regression mute 7 --until 14d --reason 'the fix is in review'"},
         mute_notes},
        {"series mute",
         mute_thing,
         {"ID"},
         "snoozes a series until a time; needs --until and --reason",
         {mute_until, mute_owner, reason_option},
         {"vigil series mute 3 --until 2027-01-31 --reason 'its benchmark is being rewritten'"},
         mute_notes},
        {"mutes",
         list_mutes,
         {},
         "the mutes with author, end and reason; ended ones too",
         {project_option,
          choice_option("state", "STATE", "only in this state", {"active", "ended"}),
          {"owner", "NAME", "only of this person"},
          limit_option},
         {"vigil mutes --state active"}},
        {"mute end",
         end_mute,
         {"ID"},
         "ends a mute early; needs --reason",
         {reason_option},
         {"vigil mute end 2 --reason 'the fix is in'"}}};
}

std::vector<CommandSpec> granting() {
    return {
        {"token add",
         add_token,
         {"NAME"},
         "creates a token and prints its secret, once",
         {{"scope",
           "SCOPES",
           "read (default), ingest, trigger, worker, triage, admin; several separated by commas"},
          {"projects", "NAMES", "scope ingest: only results of these, separated by commas"},
          {"expires", "WHEN", "expires in 30d or 12h, or on a day (2027-01-31)"},
          {"secret-file",
           "FILE",
           "writes the secret to this file (mode 0600) instead of printing it"}},
         {"vigil token add xeon-1 --scope worker --secret-file xeon-1.token",
          "vigil token add ada --scope read,triage --expires 90d --secret-file ada.token",
          "vigil token add ci --scope ingest --projects lab,old-lab --secret-file ci.token"},
         "  read     reads all lists and reports\n"
         "  ingest   sends external results\n"
         "  trigger  requests nights and runs, cancels jobs\n"
         "  triage   decides about regressions, workers and reports\n"
         "  worker   runs jobs; its name is the worker's\n"
         "  admin    all but worker; withdraws nights, creates and revokes tokens, reads the audit "
         "log\n"
         "No scope includes another, except for admin.\n"},
        {"token list",
         list_tokens,
         {},
         "the tokens, without their secrets",
         {limit_option},
         {"vigil token list"}},
        {"audit",
         list_audit,
         {},
         "audit log: changes with author, address and reason; needs a token of scope admin",
         {{"who", "NAME", "only changes by this token"},
          {"action", "ACTION", "only this change: regression.state, token.add, ..."},
          {"object", "THING", "only changes of this: regression/7, token/ada"},
          since_option,
          until_option,
          limit_option},
         {"vigil audit --object regression/7", "vigil audit --who ada --since 2026-11-01 --json"}},
        {"token revoke",
         revoke_token,
         {"NAME"},
         "revokes a token for ever",
         {},
         {"vigil token revoke xeon-1"}}};
}

}  // namespace vigil::cli
