#pragma once

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <vector>

#include "service/local/request.hpp"
#include "tests/support/scratch_folder.hpp"

namespace vigil::local::test {

/// A git repository with one number per commit; `sh build.sh` makes out/value of it, and is broken
/// on some commits.
class SmallRepository {
  public:
    SmallRepository(
        const std::filesystem::path& folder,
        const std::vector<int>& values,
        const std::set<int>& broken = {})
        : folder_(folder) {
        std::filesystem::create_directories(folder);
        git("init -q -b main");
        for (std::size_t i = 0; i < values.size(); ++i) {
            const bool works = !broken.contains(static_cast<int>(i));
            write("value", std::to_string(values[i]) + "\n");
            write("note", "change " + std::to_string(i) + "\n");
            write("build.sh", works ? "mkdir -p out && cp value out/\n" : "echo no rule; exit 2\n");
            commit("change " + std::to_string(i));
        }
    }

    void write(const std::string& name, const std::string& text) const {
        std::ofstream(folder_ / name) << text;
    }
    void commit(const std::string& subject) const {
        std::ofstream(folder_ / ".git" / "subject") << subject;
        git("add -A");
        git("commit -q --allow-empty -F .git/subject");
    }
    void git(const std::string& arguments) const {
        const std::string who =
            "export GIT_AUTHOR_NAME=author GIT_AUTHOR_EMAIL=a@example.invalid "
            "GIT_COMMITTER_NAME=author GIT_COMMITTER_EMAIL=a@example.invalid; ";
        const std::string line = who + "cd '" + folder_.string() + "' && git " + arguments;
        if (std::system(line.c_str()) != 0) throw std::runtime_error("git " + arguments);
    }
    /// What git prints.
    std::string ask(const std::string& arguments) const {
        git(arguments + " > .git/asked");
        std::string text = vigil::test::content_of(folder_ / ".git" / "asked");
        if (text.ends_with('\n')) text.pop_back();
        return text;
    }
    const std::filesystem::path& folder() const { return folder_; }

  private:
    std::filesystem::path folder_;
};

/// Takes what is printed, and raises a flag after some lines.
class CountedLines : public std::streambuf {
  public:
    void stop_after(int lines) { left_ = lines; }
    /// After the first line that has these words.
    void stop_at(std::string words) { words_ = std::move(words); }
    const std::atomic<bool>& flag() const { return flag_; }
    const std::string& text() const { return text_; }

  protected:
    int overflow(int c) override {
        text_ += static_cast<char>(c);
        if (c == '\n' && left_ > 0 && --left_ == 0) flag_ = true;
        if (c == '\n' && !words_.empty() && text_.find(words_) != text_.npos) flag_ = true;
        return c;
    }

  private:
    int left_ = 0;
    std::string words_;
    std::atomic<bool> flag_{false};
    std::string text_;
};

/// The world of one call.
struct Scene {
    CountedLines lines;
    std::ostream out{&lines};
    World world;

    Scene() {
        world.out = &out;
        world.environment = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}, {"GIT_DIR", "/nowhere"}};
        world.now_s = [] { return std::int64_t{1'700'000'000}; };
        world.stop = &lines.flag();
        world.child_program = std::filesystem::path(VIGIL_BINARY_DIR) / "vigil-child";
    }
};

inline LocalRequest request_on(
    const SmallRepository& repository, const std::filesystem::path& state, int back) {
    LocalRequest request;
    request.repository = repository.folder();
    request.state = state;
    request.good = "HEAD~" + std::to_string(back);
    request.bad = "HEAD";
    request.order.build = "sh build.sh";
    request.order.bench = "cat out/value";
    request.order.measure = Measure::samples;
    return request;
}

/// The levels of `count` commits after the good one, higher from `culprit` on.
inline std::vector<int> step_at(int count, int culprit, int low = 1000, int high = 1150) {
    std::vector<int> values;
    for (int i = 0; i <= count; ++i) values.push_back(i >= culprit ? high : low);
    return values;
}

}  // namespace vigil::local::test
