#pragma once

#include <cstdio>
#include <exception>
#include <functional>
#include <grp.h>
#include <string>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <sys/wait.h>

namespace vigil::test {

constexpr unsigned nobody = 65534;

/// Runs `body` in a process of its own that is not root, whoever runs the test.
/// @param body  @return what is wrong; empty when all is as it should be
/// @return  what is wrong
inline std::string as_nobody(const std::function<std::string()>& body) {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const pid_t process = ::fork();
    REQUIRE(process >= 0);
    if (process == 0) {
        std::string wrong;
        try {
            const bool root = ::geteuid() == 0;
            if (root &&
                (::setgroups(0, nullptr) != 0 || ::setgid(nobody) != 0 || ::setuid(nobody) != 0)) {
                wrong = "cannot become nobody";
            }
            if (wrong.empty()) wrong = body();
        } catch (const std::exception& error) {
            wrong = error.what();
        }
        if (::write(ends[1], wrong.data(), wrong.size()) < 0) ::_exit(1);
        ::_exit(0);
    }
    ::close(ends[1]);
    std::string wrong;
    char buffer[4096];
    for (ssize_t got = 0; (got = ::read(ends[0], buffer, sizeof buffer)) > 0;) {
        wrong.append(buffer, static_cast<std::size_t>(got));
    }
    ::close(ends[0]);
    int status = 0;
    REQUIRE(::waitpid(process, &status, 0) == process);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) wrong += " (it ended badly)";
    return wrong;
}

/// Lets nobody write a folder.
inline void give_to_nobody(const std::string& folder) {
    if (::geteuid() == 0) REQUIRE(::chown(folder.c_str(), nobody, nobody) == 0);
}

}  // namespace vigil::test
