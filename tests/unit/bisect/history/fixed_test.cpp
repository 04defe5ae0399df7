#include "bisect/history/fixed.hpp"

#include <catch2/catch.hpp>

using namespace vigil;
using namespace vigil::history;

namespace {

const std::string culprit_hash = "abcdef0123456789abcdef0123456789abcdef01";
const std::string merge_hash = "5555555555666666666677777777778888888888";
const std::string culprit_subject = "Check shapes before every product";

std::string hash(int number) {
    std::string digits(40, '0');
    for (int i = 39, left = number + 0x1000; left > 0; --i, left /= 16) {
        digits[std::size_t(i)] = "0123456789abcdef"[left % 16];
    }
    std::reverse(digits.begin(), digits.end());
    return digits;
}

/// The culprit, the merge that brought it, and an issue of the repository's own tracker.
FixQuestion question(const std::vector<std::string>& messages) {
    FixQuestion asked;
    for (const auto& message : messages) {
        const auto number = static_cast<int>(asked.commits.size());
        asked.commits.push_back(
            {.revision = Revision(hash(number)),
             .subject = message.substr(0, message.find('\n')),
             .claims = read_claims(message)});
    }
    asked.line_commits = static_cast<std::int64_t>(messages.size());
    asked.targets = {
        {{Revision(culprit_hash), Revision(merge_hash)},
         {culprit_subject, "Merge branch 'shapes'"}}};
    asked.issues = {{"github.com/lab/tensors", 12, true}};
    return asked;
}

FixWord word_on(const std::vector<std::string>& messages) {
    return find_fix(question(messages));
}

bool is_revert(const std::string& message) {
    const auto word = word_on({"Docs", message, "More docs"});
    return word.by == FixedBy::revert && word.commit == 1u;
}

bool is_fix(const std::string& message) {
    const auto word = word_on({"Docs", message, "More docs"});
    return word.by == FixedBy::fix && word.commit == 1u;
}

const std::string plain_revert = "Revert \"" + culprit_subject + "\"";
const std::string by_hash = "\n\nThis reverts commit ";

}  // namespace

TEST_CASE("A revert of the culprit is known by its hash or its subject", "[bisect][history]") {
    CHECK(is_revert("Go back" + by_hash + culprit_hash + "."));
    CHECK(is_revert("Go back" + by_hash + culprit_hash.substr(0, 7) + "\n"));
    CHECK(is_revert("Go back" + by_hash + "ABCDEF0123 since it is slow"));
    CHECK(is_revert("Go back\n\nThis reverts commit\n" + culprit_hash));
    CHECK(is_revert("Go back\n\nThis reverts commits " + hash(77) + ", " + culprit_hash + "."));
    CHECK(is_revert("Go back\n\nthis reverts commit `" + culprit_hash + "`"));
    CHECK(is_revert(plain_revert));
    CHECK(is_revert(plain_revert + " (#45)"));
    CHECK(is_revert("Back out \"" + culprit_subject + "\""));
    CHECK(is_revert(
        "Revert \"Merge branch 'shapes'\"" + by_hash + merge_hash +
        ", reversing\nchanges made to " + hash(99) + "."));
    CHECK(is_revert("Revert \"Merge branch 'shapes'\""));
}

TEST_CASE("What only resembles a revert of the culprit is none", "[bisect][history]") {
    CHECK_FALSE(is_revert("Go back" + by_hash + culprit_hash.substr(0, 6)));
    CHECK_FALSE(is_revert("Go back" + by_hash + culprit_hash + "ab"));
    CHECK_FALSE(is_revert("Go back" + by_hash + culprit_hash.substr(0, 8) + "g"));
    CHECK_FALSE(is_revert("Go back" + by_hash + "abcdef1"));
    CHECK_FALSE(is_revert("Mentions " + culprit_hash));
    CHECK_FALSE(is_revert(
        "Revert \"Merge other\"" + by_hash + hash(99) + ", reversing\nchanges made to " +
        culprit_hash + "."));
    CHECK_FALSE(is_revert("Revert \"" + culprit_subject + " again\""));
    CHECK_FALSE(is_revert("Revert " + culprit_subject));
    CHECK_FALSE(is_revert("Revert \"\""));
    CHECK_FALSE(is_revert("Revert \"Revert \"" + culprit_subject + "\"\""));
    CHECK_FALSE(is_revert("Reapply \"" + culprit_subject + "\""));
    // The hash is another commit's, whatever the subject says: the text contradicts itself.
    CHECK_FALSE(is_revert(plain_revert + by_hash + hash(99)));
}

TEST_CASE("A culprit that is a revert or a reland itself is taken out by its subject", "[bisect]") {
    const auto by = [](const std::string& culprit, const std::string& message) {
        auto asked = question({"Docs", message});
        asked.targets = {{{Revision(culprit_hash)}, {culprit}}};
        return find_fix(asked).by;
    };
    CHECK(by("Revert \"X\"", "Revert \"Revert \"X\"\"") == FixedBy::revert);
    CHECK(by("Revert \"X\"", "Reapply \"X\"") == FixedBy::revert);
    CHECK(by("Revert \"X\"", "Revert \"X\"") == FixedBy::one_of);
    CHECK(by("Revert \"X (#1)\" (#2)", "Revert \"Revert \"X (#1)\" (#2)\"") == FixedBy::revert);
    CHECK(by("Reland \"X\"", "Revert \"Reland \"X\"\"") == FixedBy::revert);
    CHECK(by("[reland] X (#7)", "Revert \"[reland] X (#7)\"") == FixedBy::revert);
    CHECK(by("Reland \"X\"", "Reland \"Reland \"X\"\"") == FixedBy::one_of);
    CHECK(by("Reland \"X\"", "Revert \"Reland \"Y\"\"") == FixedBy::one_of);
}

TEST_CASE("A request's number at the subject's end may be missing in a revert", "[bisect]") {
    auto asked = question({"Revert \"Tune it\" (#9)"});
    asked.targets = {{{Revision(culprit_hash)}, {"Tune it (#7)"}}};
    CHECK(find_fix(asked).by == FixedBy::revert);
    asked = question({"Revert \"Tune it (#7)\" (#9)"});
    asked.targets = {{{Revision(culprit_hash)}, {"Tune it (#7)"}}};
    CHECK(find_fix(asked).by == FixedBy::revert);
    asked.targets = {{{Revision(culprit_hash)}, {"Tune it (#8)"}}};
    CHECK(find_fix(asked).by == FixedBy::only);
}

TEST_CASE("An abbreviated hash that fits two commits says nothing", "[bisect][history]") {
    auto asked = question({"Docs", "Go back" + by_hash + culprit_hash.substr(0, 8), "Docs"});
    CHECK(find_fix(asked).by == FixedBy::revert);
    asked.commits[0].revision = Revision(culprit_hash.substr(0, 9) + std::string(31, '7'));
    CHECK(find_fix(asked).by == FixedBy::one_of);
    asked.commits[1].claims.reverts = {culprit_hash.substr(0, 10)};
    CHECK(find_fix(asked).by == FixedBy::revert);
}

TEST_CASE("The last word on the culprit holds", "[bisect][history]") {
    const auto revert_of = [](int number) { return "Go on" + by_hash + hash(number); };
    const std::string revert = "Go back" + by_hash + culprit_hash;
    CHECK(word_on({revert, revert_of(0)}).by == FixedBy::one_of);
    CHECK(
        word_on({plain_revert, "Revert \"Revert \"" + culprit_subject + "\"\""}).by ==
        FixedBy::one_of);
    CHECK(word_on({plain_revert, "Reland \"" + culprit_subject + "\""}).by == FixedBy::one_of);
    CHECK(word_on({plain_revert, "[reland] " + culprit_subject + " (#8)"}).by == FixedBy::one_of);
    CHECK(
        word_on({plain_revert, "Reapply \"" + culprit_subject + "\"" + by_hash + hash(0)}).by ==
        FixedBy::one_of);
    CHECK(word_on({revert, revert_of(0), revert_of(1)}).commit == 2u);
    CHECK(word_on({revert, revert_of(0), "Again" + by_hash + culprit_hash}).commit == 2u);
    CHECK(
        word_on({plain_revert,
                 "Reland \"" + culprit_subject + "\"",
                 "Revert \"Reland \"" + culprit_subject + "\"\""})
            .commit == 2u);
    // Twice out is out since the first time.
    CHECK(word_on({revert, revert, "Docs"}).commit == 0u);
    // A fourth undoes the third.
    CHECK(word_on({revert, revert_of(0), revert_of(1), revert_of(2)}).by == FixedBy::one_of);
}

TEST_CASE("A subject that another commit of the range has too says nothing", "[bisect]") {
    CHECK(word_on({culprit_subject, plain_revert, "Docs"}).by == FixedBy::one_of);
    CHECK(word_on({"Docs", plain_revert, culprit_subject}).by == FixedBy::revert);
}

TEST_CASE("A commit that says that it fixes the issue is known", "[bisect][history]") {
    for (const std::string word :
         {"Fixes",
          "fix",
          "fixed",
          "Close",
          "closes",
          "CLOSED",
          "Resolve",
          "resolves",
          "Resolved"}) {
        CAPTURE(word);
        CHECK(is_fix("Faster\n\n" + word + " #12"));
    }
    CHECK(is_fix("Faster, fixes: #12."));
    CHECK(is_fix("Faster (fixes #12)"));
    CHECK(is_fix("Faster\n\nFixes Lab/Tensors#12"));
    CHECK(is_fix("Faster\n\nFixes https://github.com/lab/tensors/issues/12"));
    CHECK(is_fix("Faster\n\nFixes http://github.com/Lab/tensors/issues/12#issuecomment-7"));
}

TEST_CASE("Other issues, and texts that only mention it, are no fix", "[bisect][history]") {
    CHECK_FALSE(is_fix("Fixes #123"));
    CHECK_FALSE(is_fix("Fixes #1"));
    CHECK_FALSE(is_fix("Fixes #012x"));
    CHECK_FALSE(is_fix("Fixes lab/other#12"));
    CHECK_FALSE(is_fix("Fixes tensors#12"));
    CHECK_FALSE(is_fix("Fixes https://github.com/lab/other/issues/12"));
    CHECK_FALSE(is_fix("Fixes https://git.example/lab/tensors/issues/12"));
    CHECK_FALSE(is_fix("Fixes https://github.com/lab/tensors/pull/12"));
    CHECK_FALSE(is_fix("See #12"));
    CHECK_FALSE(is_fix("Prefixes #12"));
    CHECK_FALSE(is_fix("hot-fix #12"));
    CHECK_FALSE(is_fix("Fixes#12"));
    CHECK_FALSE(is_fix("This does not fix #12"));
    CHECK_FALSE(is_fix("This doesn't fix #12"));
    CHECK_FALSE(is_fix("Revert \"Faster, fixes #12\""));
    CHECK_FALSE(is_fix("Fixes #99999999999999999999"));
}

TEST_CASE("A bare number means the repository's own tracker only", "[bisect][history]") {
    auto asked = question({"Docs", "Fixes #12", "Docs"});
    asked.issues[0].own = false;
    CHECK(find_fix(asked).by == FixedBy::one_of);
    asked.commits[1].claims = read_claims("Fixes lab/tensors#12");
    CHECK(find_fix(asked).by == FixedBy::fix);
    asked.issues.clear();
    CHECK(find_fix(asked).by == FixedBy::one_of);
}

TEST_CASE("Of several fixes the last one that stands is named", "[bisect][history]") {
    auto word = word_on({"One, fixes #12", "Two, fixes #12", "Docs"});
    CHECK(word.commit == 1u);
    CHECK(word.others == 1);
    word = word_on({"One, fixes #12", "Two, fixes #12", "Revert \"Two, fixes #12\""});
    CHECK(word.commit == 0u);
    CHECK(word.others == 0);
    CHECK(word_on({"One, fixes #12", "No" + by_hash + hash(0)}).by == FixedBy::one_of);
}

TEST_CASE("A revert says more than a fix, and either more than being alone", "[bisect]") {
    auto word = word_on({"Faster, fixes #12", plain_revert});
    CHECK(word.by == FixedBy::revert);
    CHECK(word.commit == 1u);
    CHECK_FALSE(word.only);
    word = word_on({plain_revert});
    CHECK(word.by == FixedBy::revert);
    CHECK(word.only);
    word = word_on({"Tidy up"});
    CHECK(word.by == FixedBy::only);
    CHECK(word.commit == 0u);
    CHECK(word_on({}).by == FixedBy::one_of);
}

TEST_CASE("Where the line was rewritten no commit is the only one", "[bisect][history]") {
    auto asked = question({"Tidy up"});
    asked.rewritten = true;
    CHECK(find_fix(asked).by == FixedBy::one_of);
}

TEST_CASE("The only commit of the line is the merge, not what it brought", "[bisect][history]") {
    auto asked = question({"Inside", "Merge branch 'x'"});
    asked.commits[0].merge = asked.commits[1].revision;
    asked.line_commits = 1;
    const auto word = find_fix(asked);
    CHECK(word.by == FixedBy::only);
    CHECK(word.commit == 1u);
}

TEST_CASE("A revert of one of several suspects names that one", "[bisect][history]") {
    auto asked = question({"Docs", "Go back" + by_hash + merge_hash});
    asked.targets = {{{Revision(culprit_hash)}, {"One"}}, {{Revision(merge_hash)}, {"Two"}}};
    const auto word = find_fix(asked);
    CHECK(word.by == FixedBy::revert);
    CHECK(word.target == 1u);
}

TEST_CASE("Hostile texts cost little and claim nothing", "[bisect][history]") {
    std::string nested;
    for (int i = 0; i < 1000; ++i) nested += "Revert \"";
    CHECK_FALSE(is_revert(nested));
    CHECK_FALSE(is_revert(nested + culprit_subject + std::string(1000, '"')));
    CHECK_FALSE(is_fix(std::string("Fixes \0 #12", 11)));
    CHECK_FALSE(is_fix("Fixes\n#12"));
    std::string many = "x\n\nThis reverts commits ";
    for (int i = 0; i < 100'000; ++i) many += hash(i) + ", ";
    CHECK(read_claims(many).reverts.size() <= most_claims);
    std::string fixes;
    for (int i = 0; i < 100'000; ++i) fixes += "fixes #" + std::to_string(i + 1) + " ";
    CHECK(read_claims(fixes).fixes.size() == most_claims);
    CHECK(read_claims(std::string(1 << 20, 'f') + " fixes #12").fixes.empty());
    CHECK(read_claims("\xff\xfe fixes #12 \xff").fixes.size() == 1);
    CHECK(read_claims("fixes https://" + std::string(5000, 'a') + "/issues/12").fixes.empty());
}
