#include "bisect/history/history.hpp"

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "bisect/history/one_line.hpp"
#include "schema/model/error.hpp"

using namespace vigil;
using namespace vigil::history;

namespace {

/// A real repository in a folder of its own.
class TempRepository {
  public:
    TempRepository() {
        std::string pattern = (std::filesystem::temp_directory_path() / "history-XXXXXX").string();
        REQUIRE(::mkdtemp(pattern.data()) != nullptr);
        folder_ = pattern;
        git("init -q -b main .");
        git("config user.name 'Author One'");
        git("config user.email one@example.org");
    }
    ~TempRepository() { std::filesystem::remove_all(folder_); }
    TempRepository(const TempRepository&) = delete;
    TempRepository& operator=(const TempRepository&) = delete;

    std::string git(const std::string& arguments) const {
        const std::string command = fmt::format(
            "cd '{}' && GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null git {}",
            folder_.string(),
            arguments);
        FILE* pipe = ::popen(command.c_str(), "r");
        REQUIRE(pipe != nullptr);
        std::string output;
        std::array<char, 4096> buffer{};
        while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
            output.append(buffer.data(), n);
        }
        REQUIRE(::pclose(pipe) == 0);
        while (!output.empty() && output.back() == '\n') output.pop_back();
        return output;
    }

    /// An empty commit at the given second.
    Revision commit(const std::string& message, long at_s = 1'700'000'000) const {
        const auto file = folder_ / ".git" / "message";
        std::ofstream(file) << message;
        const std::string date = fmt::format("{} +0000", at_s);
        git(fmt::format(
            "-c user.useConfigOnly=false -c core.hooksPath=/dev/null "
            "-c i18n.commitEncoding=UTF-8 commit -q --allow-empty "
            "--cleanup=verbatim --date='{}' -F .git/message 2>/dev/null",
            date));
        return head();
    }

    Revision head() const { return Revision(git("rev-parse HEAD")); }
    std::string path() const { return folder_.string(); }
    std::filesystem::path folder() const { return folder_; }

  private:
    std::filesystem::path folder_;
};

std::vector<std::string> subjects(const std::vector<Commit>& commits) {
    std::vector<std::string> found;
    for (const Commit& c : commits) found.push_back(c.subject);
    return found;
}

Error refusal(const TempRepository& r, const Revision& good, const Revision& bad, int limit = 100) {
    try {
        list_suspects(r.path(), good, bad, limit);
    } catch (const Error& error) {
        return error;
    }
    FAIL("nothing was refused");
    return {Errc::internal, ""};
}

}  // namespace

TEST_CASE(
    "Suspects come oldest first, without the good end and with the bad", "[bisect][history]") {
    TempRepository r;
    const auto good = r.commit("good");
    const auto first = r.commit("first");
    const auto bad = r.commit("second");
    const auto suspects = list_suspects(r.path(), good, bad);
    CHECK(subjects(suspects) == std::vector<std::string>{"first", "second"});
    CHECK(suspects[0].parent == good);
    CHECK(suspects[1].parent == first);
    CHECK(suspects[1].revision == bad);
    CHECK(suspects[0].author == "Author One");
    CHECK(suspects[0].authored_at_s == 1'700'000'000);
    CHECK(list_suspects(r.path(), bad, bad).empty());
}

TEST_CASE("Equal and decreasing time stamps do not change the order", "[bisect][history]") {
    TempRepository r;
    const auto good = r.commit("good", 1'700'000'000);
    r.commit("a", 1'700'000'000);
    r.commit("b", 1'700'000'000);
    r.commit("c", 1'600'000'000);
    const auto bad = r.commit("d", 1'500'000'000);
    CHECK(
        subjects(list_suspects(r.path(), good, bad)) ==
        std::vector<std::string>{"a", "b", "c", "d"});
}

TEST_CASE("A merge is one suspect, flagged, and hides its side branch", "[bisect][history]") {
    TempRepository r;
    const auto good = r.commit("good");
    r.git("checkout -q -b side");
    const auto side = r.commit("on the side");
    r.git("checkout -q main");
    r.commit("on main");
    r.git("merge -q --no-ff -m 'merge side' side");
    const auto bad = r.commit("after");
    const auto suspects = list_suspects(r.path(), good, bad);
    REQUIRE(subjects(suspects) == std::vector<std::string>{"on main", "merge side", "after"});
    CHECK(suspects[1].merge);
    CHECK_FALSE(suspects[0].merge);

    const auto error = refusal(r, side, bad);
    CHECK(error.code() == Errc::conflict);
    CHECK(std::string(error.what()).find("first-parent") != std::string::npos);
}

TEST_CASE(
    "Ends that are not ancestor-related are refused with their merge base", "[bisect][history]") {
    TempRepository r;
    const auto base = r.commit("base");
    r.git("checkout -q -b other");
    const auto other = r.commit("other");
    r.git("checkout -q main");
    const auto bad = r.commit("bad");
    const auto error = refusal(r, other, bad);
    CHECK(error.code() == Errc::conflict);
    CHECK(std::string(error.what()).find(base.str()) != std::string::npos);

    const auto backwards = refusal(r, bad, base);
    CHECK(backwards.code() == Errc::conflict);

    r.git("checkout -q --orphan island");
    const auto island = r.commit("island");
    CHECK(std::string(refusal(r, island, bad).what()).find("no common") != std::string::npos);
}

TEST_CASE("A missing revision or object is named", "[bisect][history]") {
    TempRepository r;
    const auto good = r.commit("good");
    const auto gone = r.commit("gone");
    const auto bad = r.commit("bad");
    const Revision unknown(std::string(40, 'a'));
    auto error = refusal(r, unknown, bad);
    CHECK(error.code() == Errc::not_found);
    CHECK(std::string(error.what()).find(unknown.str()) != std::string::npos);

    const auto& hash = gone.str();
    std::filesystem::remove(r.folder() / ".git" / "objects" / hash.substr(0, 2) / hash.substr(2));
    error = refusal(r, good, bad);
    CHECK(error.code() == Errc::not_found);
    CHECK(std::string(error.what()).find(hash) != std::string::npos);

    CHECK_THROWS_AS(list_suspects(r.path() + "/nowhere", good, bad), Error);
    CHECK(refusal(r, Revision(std::string(64, 'a')), bad).code() == Errc::invalid_argument);
}

TEST_CASE("More commits than the limit are refused", "[bisect][history]") {
    TempRepository r;
    const auto good = r.commit("good");
    r.commit("1");
    const auto bad = r.commit("2");
    CHECK(list_suspects(r.path(), good, bad, 2).size() == 2);
    CHECK(refusal(r, good, bad, 1).code() == Errc::invalid_argument);
}

TEST_CASE("Text of strangers becomes one line of valid UTF-8", "[bisect][history]") {
    TempRepository r;
    const auto good = r.commit("good");
    std::ofstream(r.folder() / "raw")
        << "tree " << r.git("rev-parse HEAD^{tree}") << "\nparent " << good.str()
        << "\nauthor Auth\xFFor <a@example.org> 1700000000 +0000"
        << "\ncommitter Author One <a@example.org> 1700000000 +0000"
        << "\n\ncaf\xE9 \xF0\x9F\x98\x80 tab\there\n\nbody\n";
    const Revision bad(r.git("hash-object -t commit -w raw"));
    const auto suspects = list_suspects(r.path(), good, bad);
    REQUIRE(suspects.size() == 1);
    CHECK(suspects[0].subject == "caf\xEF\xBF\xBD \xF0\x9F\x98\x80 tab here");
    CHECK(suspects[0].author == "Auth\xEF\xBF\xBDor");
    CHECK(one_line("a\xE2\x80\xA8z\r\n\x1B[0m") == "a z   [0m");
    CHECK(
        one_line("\xC0\xAF\xED\xA0\x80") ==
        "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
    CHECK(one_line("ab\xC3\xA9", 3) == "ab");
}

TEST_CASE("A bare clone and a repository of another account can be read", "[bisect][history]") {
    TempRepository r;
    const auto good = r.commit("good");
    const auto bad = r.commit("bad");
    const std::string bare = r.path() + "/bare.git";
    r.git("clone -q --bare . bare.git");
    if (::geteuid() == 0) r.git("version >/dev/null && chown -R 65534 bare.git");
    CHECK(list_suspects(bare, good, bad).size() == 1);
}

TEST_CASE("Ten thousand commits are listed in under a second", "[bisect][history]") {
    TempRepository r;
    const auto good = r.commit("good");
    {
        std::ofstream stream(r.folder() / "stream");
        for (int i = 0; i < 10'000; ++i) {
            stream << "commit refs/heads/main\ncommitter Author One <one@example.org> "
                   << 1'700'000'000 + i / 3 << " +0000\ndata 4\nstep\n";
            if (i == 0) stream << "from refs/heads/main^0\n";
        }
    }
    r.git("fast-import --quiet < stream");
    const auto bad = r.head();
    const auto start = std::chrono::steady_clock::now();
    const auto suspects = list_suspects(r.path(), good, bad);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    CHECK(suspects.size() == 10'000);
    CHECK(suspects.back().revision == bad);
    CHECK(took.count() < 1.0);
}
