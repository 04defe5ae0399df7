#include "service/cli/ask/decisions.hpp"

#include "schema/model/states.hpp"
#include "service/cli/ask/change.hpp"
#include "service/cli/ask/lists.hpp"
#include "service/cli/ask/options.hpp"

namespace vigil::cli {

namespace {

const Option mute_until{"until", "WHEN", "it ends: after 14d or 12h, or on a day (2027-01-31)"};
const Option mute_owner{"owner", "NAME", "who answers for it (default: the token's name)"};
constexpr const char* mute_notes =
    "What is muted is found, measured and listed as ever; no issue is made or changed for it\n"
    "meanwhile. A mute ends by itself, and then what is still open is told. `vigil mutes` lists\n"
    "them.\n";

constexpr const char* missed_notes =
    "The night before that has a value and this night are measured against each other. What that\n"
    "confirms becomes a regression with its search, also below the threshold. `vigil precision`\n"
    "counts it as missed (recall), unless it is not there.\n";

}  // namespace

std::vector<CommandSpec> deciding() {
    return {
        {"regression acknowledge",
         move_regression,
         {"ID"},
         "says that somebody looks at it",
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
         "names whoever is to look at it",
         {{"to", "NAME", "this person"}, {"nobody", "", "nobody"}, reason_option},
         {"vigil regression assign 7 --to ada", "vigil regression assign 7 --nobody"}},
        {"regression accept",
         move_regression,
         {"ID"},
         "takes the new level as the right one; needs --reason",
         {reason_option},
         {"vigil regression accept 7 --reason 'the price of the bounds check'"}},
        {"regression refute",
         move_regression,
         {"ID"},
         "says that it is none; needs --reason",
         {reason_option},
         {"vigil regression refute 7 --reason 'the machine was being updated'"}},
        {"regression reopen",
         move_regression,
         {"ID"},
         "takes back that it is accepted, refuted or closed; needs --reason",
         {reason_option},
         {"vigil regression reopen 7 --reason 'it is back since Tuesday'"}},
        {"regression missed",
         tell_missed,
         {"SERIES"},
         "tells of one that was not found; needs --since",
         {{"since", "NIGHT", "the first bad night: its number or name (12, 2026-11-22)"},
          {"commit", "COMMIT", "which commit you believe it was; it decides nothing"},
          {"take-back", "", "it was none: it counts no longer"},
          reason_option},
         {"vigil regression missed 3 --since 2026-11-22 --commit 1a2b3c4d",
          "vigil regression missed 3 --since 2026-11-22 --take-back"},
         missed_notes},
        {"missed",
         list_missed,
         {},
         "regressions that people told, because they were not found",
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
         "says nothing more of it until then; needs --until and --reason",
         {mute_until, mute_owner, reason_option},
         {"vigil regression mute 7 --until 14d --reason 'the fix is in review'"},
         mute_notes},
        {"series mute",
         mute_thing,
         {"ID"},
         "files nothing of a series until then; needs --until and --reason",
         {mute_until, mute_owner, reason_option},
         {"vigil series mute 3 --until 2027-01-31 --reason 'its benchmark is being rewritten'"},
         mute_notes},
        {"mutes",
         list_mutes,
         {},
         "what is muted, by whom, until when and why; ended ones too",
         {project_option,
          choice_option("state", "STATE", "only in this state", {"active", "ended"}),
          {"owner", "NAME", "only of this person"},
          limit_option},
         {"vigil mutes --state active"}},
        {"mute end",
         end_mute,
         {"ID"},
         "ends a mute before its time; needs --reason",
         {reason_option},
         {"vigil mute end 2 --reason 'the fix is in'"}}};
}

std::vector<CommandSpec> granting() {
    return {
        {"token add",
         add_token,
         {"NAME"},
         "makes a token and prints its secret, once",
         {{"scope",
           "SCOPES",
           "read (default), ingest, trigger, worker, triage, admin; several with commas between"},
          {"projects", "NAMES", "scope ingest: sends results of these alone, with commas between"},
          {"expires", "WHEN", "ends by itself: after 30d or 12h, or on a day (2027-01-31)"},
          {"secret-file", "FILE", "writes it there, for its owner only, instead of printing it"}},
         {"vigil token add xeon-1 --scope worker --secret-file xeon-1.token",
          "vigil token add ada --scope read,triage --expires 90d --secret-file ada.token",
          "vigil token add ci --scope ingest --projects lab,old-lab --secret-file ci.token"},
         "  read     reads all lists and reports\n"
         "  ingest   sends results that were measured elsewhere\n"
         "  trigger  asks for nights and runs, cancels jobs\n"
         "  triage   decides about regressions, workers and reports\n"
         "  worker   does jobs; its name is the worker's\n"
         "  admin    all but worker; withdraws nights, makes and revokes tokens, reads the audit "
         "log\n"
         "None holds another, but admin.\n"},
        {"token list",
         list_tokens,
         {},
         "the tokens, without their secrets",
         {limit_option},
         {"vigil token list"}},
        {"audit",
         list_audit,
         {},
         "who changed what, from where and why; needs a token of scope admin",
         {{"who", "NAME", "only what this token did"},
          {"action", "ACTION", "only this: regression.state, token.add, ..."},
          {"object", "THING", "only what was done to this: regression/7, token/ada"},
          since_option,
          until_option,
          limit_option},
         {"vigil audit --object regression/7", "vigil audit --who ada --since 2026-11-01 --json"}},
        {"token revoke",
         revoke_token,
         {"NAME"},
         "ends a token for ever",
         {},
         {"vigil token revoke xeon-1"}}};
}

}  // namespace vigil::cli
