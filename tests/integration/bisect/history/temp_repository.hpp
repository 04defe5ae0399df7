#pragma once

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "schema/model/text_ids.hpp"

namespace vigil::history::test {

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

}  // namespace vigil::history::test
