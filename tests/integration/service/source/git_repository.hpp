#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "schema/model/text_ids.hpp"

namespace vigil::test {

/// A real repository with a work tree, made with the git program. Commits are a minute apart.
class GitRepository {
  public:
    explicit GitRepository(const std::filesystem::path& folder) : folder_(folder) {
        std::filesystem::create_directories(folder);
        git("init -q -b main");
    }

    const std::filesystem::path& folder() const { return folder_; }

    void write(const std::string& name, const std::string& text) const {
        std::filesystem::create_directories((folder_ / name).parent_path());
        std::ofstream(folder_ / name, std::ios::binary) << text;
    }

    Revision commit(const std::string& message) {
        git("add -A");
        git("commit -q --allow-empty -m '" + message + "'");
        return revision("HEAD");
    }

    Revision revision(const std::string& name) const {
        return Revision(git("rev-parse '" + name + "^{commit}'"));
    }

    /// Runs git there and gives its output without the last line end.
    std::string git(const std::string& arguments) const {
        const std::string when = std::to_string(1'763'164'800 + 60 * clock_++) + " +0000";
        const std::string command =
            "cd '" + folder_.string() +
            "' && GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null "
            "GIT_AUTHOR_NAME='Author One' GIT_AUTHOR_EMAIL=one@example.org "
            "GIT_COMMITTER_NAME='Author One' GIT_COMMITTER_EMAIL=one@example.org "
            "GIT_AUTHOR_DATE='" +
            when + "' GIT_COMMITTER_DATE='" + when + "' git -c core.protectHFS=false " + arguments;
        std::FILE* pipe = ::popen(command.c_str(), "r");
        if (pipe == nullptr) throw std::runtime_error("cannot run git");
        std::string output;
        for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
            output += static_cast<char>(c);
        }
        if (::pclose(pipe) != 0) throw std::runtime_error("git " + arguments + " failed");
        while (!output.empty() && output.back() == '\n') output.pop_back();
        return output;
    }

  private:
    std::filesystem::path folder_;
    mutable int clock_ = 0;
};

}  // namespace vigil::test
