#include "worker/run/neighbours.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "schema/model/launch.hpp"
#include "schema/text/nearest.hpp"
#include "schema/wire/json.hpp"
#include "schema/wire/object_reader.hpp"

namespace vigil::worker {

namespace {

namespace fs = std::filesystem;

constexpr off_t alive_byte = 0;
constexpr off_t turn_byte = 1;
constexpr std::size_t max_bytes = 65'536;
constexpr std::size_t max_neighbours = 1000;

struct flock byte_lock(short kind, off_t byte) {
    struct flock lock {};
    lock.l_type = kind;
    lock.l_whence = SEEK_SET;
    lock.l_start = byte;
    lock.l_len = 1;
    return lock;
}

bool lock_byte(int file, off_t byte, short kind) {
    auto lock = byte_lock(kind, byte);
    return ::fcntl(file, F_OFD_SETLK, &lock) == 0;
}

bool is_locked(int file, off_t byte) {
    auto lock = byte_lock(F_RDLCK, byte);
    return ::fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

/// Another worker's file, open for as long as it is looked at.
class OtherFile {
  public:
    explicit OtherFile(const fs::path& path)
        : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
    ~OtherFile() {
        if (file_ >= 0) ::close(file_);
    }
    OtherFile(const OtherFile&) = delete;
    OtherFile& operator=(const OtherFile&) = delete;

    bool is_alive() const { return file_ >= 0 && is_locked(file_, alive_byte); }
    bool has_turn() const { return file_ >= 0 && is_locked(file_, turn_byte); }

    /// Nothing: it cannot be read.
    std::optional<Neighbour> read() const {
        std::string text(max_bytes, '\0');
        const auto size = file_ < 0 ? -1 : ::pread(file_, text.data(), text.size(), 0);
        if (size <= 0) return std::nullopt;
        text.resize(static_cast<std::size_t>(size));
        try {
            const auto value = wire::parse_json(text, "a worker's file");
            wire::ObjectReader in(value, "worker");
            Neighbour other;
            other.name = in.text("name");
            other.beside = in.texts("beside");
            other.gpus = in.texts("gpus");
            other.cores = parse_cores(in.text("cores")).value_or(std::vector<int>{});
            return other;
        } catch (const Error&) {
            return std::nullopt;
        }
    }

  private:
    int file_;
};

bool names(const Neighbour& who, const std::string& whom) {
    return std::find(who.beside.begin(), who.beside.end(), whom) != who.beside.end();
}

bool may_run_together(const Neighbour& a, const std::optional<Neighbour>& b) {
    return b && names(a, b->name) && names(*b, a.name);
}

template <class Value>
std::vector<Value> shared(std::vector<Value> a, std::vector<Value> b) {
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    std::vector<Value> both;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    return both;
}

/// @param look  is given each other worker's file; false ends it
template <class Look>
void for_each_other(const fs::path& lock, const std::string& own_name, const Look& look) {
    const auto start = lock.filename().string() + ".";
    std::size_t seen = 0;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(lock.parent_path(), ignored)) {
        const auto name = entry.path().filename().string();
        if (name.rfind(start, 0) != 0 || name == start + own_name) continue;
        if (++seen > max_neighbours || !look(OtherFile(entry.path()))) return;
    }
}

}  // namespace

Neighbours::Neighbours(fs::path lock, Neighbour self)
    : lock_(std::move(lock)), self_(std::move(self)) {
    if (alone()) return;
    const auto path = lock_.string() + "." + self_.name;
    file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file_ < 0) {
        throw Error(Errc::unavailable, fmt::format("opening {}: {}", path, std::strerror(errno)));
    }
    try {
        if (!lock_byte(file_, alive_byte, F_WRLCK)) {
            throw Error(
                Errc::conflict,
                fmt::format(
                    "another worker called {} uses this machine_lock; give each a name of its own",
                    self_.name));
        }
        const auto text = wire::write_json(
            {{"name", self_.name},
             {"beside", self_.beside},
             {"cores", cores_text(self_.cores)},
             {"gpus", self_.gpus}});
        const auto size = static_cast<ssize_t>(text.size());
        if (::ftruncate(file_, 0) != 0 || ::pwrite(file_, text.data(), text.size(), 0) != size) {
            throw Error(
                Errc::unavailable, fmt::format("writing {}: {}", path, std::strerror(errno)));
        }
        refuse_overlaps();
    } catch (...) {
        ::close(file_);
        throw;
    }
}

Neighbours::~Neighbours() {
    if (file_ >= 0) ::close(file_);
}

// Whoever starts at the same moment has written its file before it looks, too.
void Neighbours::refuse_overlaps() const {
    for_each_other(lock_, self_.name, [&](const OtherFile& file) {
        if (!file.is_alive()) return true;
        const auto other = file.read();
        if (!may_run_together(self_, other)) return true;  // they take turns
        const auto cores = shared(self_.cores, other->cores);
        const auto gpus = shared(self_.gpus, other->gpus);
        if (cores.empty() && gpus.empty()) return true;
        throw Error(
            Errc::conflict,
            fmt::format(
                "{} and {} may run beside each other and have {} both; give each its own by "
                "{}, or take the names out of beside",
                self_.name,
                other->name,
                gpus.empty() ? "cores " + cores_text(cores) : text::joined(gpus),
                gpus.empty() ? "cores" : "gpus"));
    });
}

bool Neighbours::others_rest() const {
    bool rest = true;
    for_each_other(lock_, self_.name, [&](const OtherFile& file) {
        rest = !file.has_turn() || may_run_together(self_, file.read());
        return rest;
    });
    return rest;
}

void Neighbours::begin_turn() {
    if (!alone()) lock_byte(file_, turn_byte, F_WRLCK);
}

void Neighbours::end_turn() {
    if (!alone()) lock_byte(file_, turn_byte, F_UNLCK);
}

std::string neighbour_name_problem(const std::string& name) {
    constexpr std::size_t max_name_bytes = 100;
    const auto* allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    if (!name.empty() && name.size() <= max_name_bytes &&
        name.find_first_not_of(allowed) == name.npos) {
        return "";
    }
    return "must be names of letters, digits, dots, dashes and underscores";
}

}  // namespace vigil::worker
