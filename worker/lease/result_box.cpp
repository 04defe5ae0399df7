#include "worker/lease/result_box.hpp"

#include <algorithm>
#include <charconv>
#include <fcntl.h>
#include <fstream>
#include <unistd.h>
#include <vector>

#include <nlohmann/json.hpp>

#include "schema/log/log.hpp"
#include "schema/model/error.hpp"
#include "schema/wire/job_json.hpp"
#include "schema/wire/json.hpp"
#include "worker/run/text_file.hpp"

namespace vigil::worker {

namespace {

namespace fs = std::filesystem;

constexpr const char* result_name = "result.json";
constexpr const char* refused_name = "refused";
constexpr const char* partial_ending = ".partial";
constexpr std::size_t most_refused = 20;

void sync(const fs::path& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const bool synced = fd >= 0 && ::fsync(fd) == 0;
    if (fd >= 0) ::close(fd);
    if (!synced) {
        throw Error(Errc::unavailable, "keeping a result: " + path.string() + " cannot be synced");
    }
}

/// "12-3": attempt 3 at job 12.
struct Name {
    JobId job;
    int attempt = 0;
};

bool parse_name(const std::string& text, Name& name) {
    const char* const end = text.data() + text.size();
    const auto [dash, job_error] = std::from_chars(text.data(), end, name.job.value);
    if (job_error != std::errc() || dash == end || *dash != '-') return false;
    const auto [stop, attempt_error] = std::from_chars(dash + 1, end, name.attempt);
    return attempt_error == std::errc() && stop == end;
}

std::vector<fs::path> folders_in(const fs::path& folder) {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder)) {
        Name name;
        if (parse_name(entry.path().filename().string(), name)) found.push_back(entry.path());
    }
    std::sort(found.begin(), found.end(), [](const fs::path& a, const fs::path& b) {
        return fs::last_write_time(a) < fs::last_write_time(b);
    });
    return found;
}

}  // namespace

ResultBox::ResultBox(fs::path folder) : folder_(std::move(folder)) {
    fs::create_directories(folder_ / refused_name);
    for (const auto& entry : fs::directory_iterator(folder_)) {
        if (entry.path().extension() == partial_ending) fs::remove_all(entry.path());
    }
}

void ResultBox::keep(const OutgoingResult& outgoing) {
    const auto target =
        folder_ / (to_string(outgoing.job) + "-" + std::to_string(outgoing.attempt));
    const fs::path partial = target.string() + partial_ending;
    try {
        fs::remove_all(partial);
        fs::create_directories(partial);
        for (const auto& [digest, content] : outgoing.contents) {
            const auto copy = partial / (digest.str() + "." + std::string(to_string(content.kind)));
            std::error_code not_linked;
            fs::create_hard_link(content.file, copy, not_linked);
            if (not_linked) fs::copy_file(content.file, copy);
            sync(copy);
        }
        std::ofstream out(partial / result_name, std::ios::binary);
        out << wire::write_json(wire::to_json(outgoing.result)) << std::flush;
        if (!out.good()) throw Error(Errc::unavailable, "keeping a result: the disk is full");
        out.close();
        sync(partial / result_name);
        sync(partial);
        fs::remove_all(target);
        fs::rename(partial, target);
        sync(folder_);
    } catch (const fs::filesystem_error& error) {
        throw Error(Errc::unavailable, std::string("keeping a result: ") + error.what());
    }
}

bool ResultBox::empty() const {
    return folders_in(folder_).empty();
}

bool ResultBox::deliver(ServiceApi& service) {
    for (const auto& folder : folders_in(folder_)) {
        switch (send(folder, service)) {
            case Sent::acknowledged: fs::remove_all(folder); break;
            case Sent::not_now: return false;
            case Sent::refused: {
                const auto aside = folder_ / refused_name / folder.filename();
                fs::remove_all(aside);
                fs::rename(folder, aside);
                const auto refused = folders_in(folder_ / refused_name);
                if (refused.size() > most_refused) fs::remove_all(refused.front());
            }
        }
    }
    return true;
}

ResultBox::Sent ResultBox::send(const fs::path& folder, ServiceApi& service) {
    Name name;
    VIGIL_ASSERT(parse_name(folder.filename().string(), name));
    try {
        for (const auto& entry : fs::directory_iterator(folder)) {
            const auto stem = entry.path().stem().string();
            if (stem.size() != 64 || !is_lower_hex(stem)) continue;
            const bool log = entry.path().extension() == ".log";
            service.put_content(
                Digest(stem), log ? ContentKind::log : ContentKind::product, entry.path());
        }
        service.put_result(name.job, name.attempt, read_text(folder / result_name));
        log_info("result.acknowledged", {{"job", name.job.value}, {"attempt", name.attempt}});
        return Sent::acknowledged;
    } catch (const Error& error) {
        if (error.code() == Errc::denied) throw;
        const bool refused = error.code() == Errc::conflict ||
                             error.code() == Errc::invalid_argument ||
                             error.code() == Errc::not_found;
        log_warn(
            refused ? "result.refused" : "result.not_sent",
            {{"job", name.job.value}, {"attempt", name.attempt}, {"why", error.what()}});
        return refused ? Sent::refused : Sent::not_now;
    }
}

}  // namespace vigil::worker
