#include "service/store/ledger_lock.hpp"

#include <array>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <unistd.h>

#include <sys/file.h>

#include "schema/model/error.hpp"

namespace vigil::service {

LedgerLock::LedgerLock(const std::filesystem::path& state_folder) {
    const auto path = state_folder / "lock";
    file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file_ < 0) {
        throw Error(Errc::unavailable, "opening " + path.string() + ": " + std::strerror(errno));
    }
    if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
        std::array<char, 32> holder{};
        const auto size = ::pread(file_, holder.data(), holder.size() - 1, 0);
        const std::string pid(holder.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
        ::close(file_);
        throw Error(
            Errc::conflict,
            "the state folder " + state_folder.string() + " belongs to another vigild (process " +
                pid + "); two daemons cannot share a ledger");
    }
    const auto pid = std::to_string(::getpid());
    if (::ftruncate(file_, 0) != 0 || ::pwrite(file_, pid.data(), pid.size(), 0) < 0) {
        ::close(file_);
        throw Error(Errc::unavailable, "writing " + path.string() + ": " + std::strerror(errno));
    }
}

void LedgerLock::hold(const std::filesystem::path& ledger) {
    if (ledger_ >= 0) return;
    ledger_ = ::open(ledger.c_str(), O_RDONLY | O_CLOEXEC);
    if (ledger_ < 0) {
        throw Error(Errc::unavailable, "opening " + ledger.string() + ": " + std::strerror(errno));
    }
    // SQLite's locks are of another kind (fcntl): the two do not see each other.
    if (::flock(ledger_, LOCK_EX | LOCK_NB) != 0) {
        throw Error(
            Errc::conflict,
            "the ledger " + ledger.string() +
                " belongs to another vigild, which began before the folder's file `lock` was "
                "removed, or has it by another path; two daemons cannot share a ledger: end the "
                "other one");
    }
}

LedgerLock::~LedgerLock() {
    if (ledger_ >= 0) ::close(ledger_);
    ::close(file_);
}

}  // namespace vigil::service
