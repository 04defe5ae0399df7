#include "schema/log/service_manager.hpp"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>

#include <sys/socket.h>
#include <sys/un.h>

#include "schema/model/error.hpp"

namespace vigil {

namespace {

constexpr int first_inherited = 3;  // SD_LISTEN_FDS_START
constexpr std::int64_t us_in_two_ms = 2000;

/// @return nothing unless the whole variable is a number above 0
std::optional<std::int64_t> number_in(const char* variable) {
    const char* value = std::getenv(variable);
    if (value == nullptr) return std::nullopt;
    const std::string_view text = value;
    std::int64_t number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
    return number > 0 ? std::optional(number) : std::nullopt;
}

}  // namespace

void notify_manager(const std::string& state) {
    const char* path = std::getenv("NOTIFY_SOCKET");
    sockaddr_un address{};
    const std::size_t size = path == nullptr ? 0 : std::strlen(path);
    if (size < 2 || size >= sizeof address.sun_path) return;
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path, size);
    if (path[0] == '@') address.sun_path[0] = '\0';  // an abstract name
    const int fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return;
    static_cast<void>(::sendto(
        fd,
        state.data(),
        state.size(),
        MSG_NOSIGNAL | MSG_DONTWAIT,
        reinterpret_cast<const sockaddr*>(&address),
        static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + size)));
    ::close(fd);
}

std::optional<std::chrono::milliseconds> watchdog_interval() {
    const auto limit_us = number_in("WATCHDOG_USEC");
    if (!limit_us || *limit_us < us_in_two_ms) return std::nullopt;
    if (std::getenv("WATCHDOG_PID") != nullptr && number_in("WATCHDOG_PID") != ::getpid()) {
        return std::nullopt;
    }
    return std::chrono::milliseconds(*limit_us / us_in_two_ms);
}

std::optional<int> inherited_socket() {
    if (number_in("LISTEN_PID") != ::getpid()) return std::nullopt;
    const auto count = number_in("LISTEN_FDS");
    if (!count) return std::nullopt;
    if (*count > 1) {
        throw Error(
            Errc::invalid_argument,
            "the manager passes " + std::to_string(*count) +
                " sockets (LISTEN_FDS), and one can be served: leave one ListenStream in the "
                "socket's unit");
    }
    if (::fcntl(first_inherited, F_SETFD, FD_CLOEXEC) != 0) return std::nullopt;
    return first_inherited;
}

}  // namespace vigil
