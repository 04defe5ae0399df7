#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What the text of a commit claims about other commits and about issues. It is a stranger's word:
// nothing here says that it is so.

namespace vigil::history {

/// An issue as a text names it, in lower case.
struct IssueName {
    /// "owner/name", or with a machine before it; empty: of the commit's own repository
    std::string place;
    std::int64_t number = 0;

    bool operator==(const IssueName&) const = default;
};

struct Claims {
    std::vector<std::string> reverts;  ///< hashes, 7 to 40 hex digits in lower case
    std::vector<IssueName> fixes;
};

/// So many bytes of a message are read, and so many claims of a kind are taken from it.
inline constexpr std::size_t most_message_bytes = 64 << 10;
inline constexpr std::size_t most_claims = 64;

/// "This reverts commit <hash>", also of several; "fixes", "closes" or "resolves" in their forms,
/// before "#N", "owner/name#N" or an issue's address. What a revert quotes in its subject is no
/// claim of its own, nor is what a word like "not" stands before.
Claims read_claims(std::string_view message);

/// What a subject says of another commit.
struct SubjectClaim {
    bool removes = false;  ///< takes it out; else brings it back
    bool quoted = false;   ///< its subject stands there word for word
    std::string subject;   ///< of that other commit
};

/// `Revert "X"` takes X out, `Revert "Revert "X""`, `Reapply "X"`, `Reland "X"` and `[reland] X`
/// bring it back; what is nested is counted. Nothing where it says nothing of the kind.
std::optional<SubjectClaim> read_subject(std::string_view subject);

/// Whether the claim's words are this subject. A request's number, " (#12)", which merging adds at
/// the end, may be missing in what is quoted.
bool is_about(const SubjectClaim& claim, std::string_view subject);

/// Whether the claim takes a commit of this subject out, or else brings it back; that commit may be
/// a revert or a reland itself. Nothing where it is about another one.
std::optional<bool> takes_out(const SubjectClaim& claim, std::string_view subject);

}  // namespace vigil::history
