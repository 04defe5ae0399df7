#include "worker/lease/work_folder.hpp"

#include <fstream>

#include <fmt/format.h>

#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "worker/run/fresh_folder.hpp"

namespace vigil::worker {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t probe_bytes = 64 * 1024;
constexpr std::int64_t least_room = std::int64_t{256} << 20;

}  // namespace

std::string why_unfit(const fs::path& work) {
    try {
        make_fresh(work);
        const auto probe = work / "probe";
        std::ofstream out(probe, std::ios::binary);
        out << std::string(probe_bytes, 'x') << std::flush;
        if (!out.good()) return work.string() + " cannot be written";
        out.close();
        fs::remove(probe);
        const auto room = static_cast<std::int64_t>(fs::space(work).available);
        if (room >= least_room) return "";
        return fmt::format(
            "the disk of {} has {} bytes left; a job needs {}", work.string(), room, least_room);
    } catch (const Error& error) {
        return text::one_line(error.what());
    } catch (const fs::filesystem_error& error) {
        return text::one_line(error.what());
    }
}

}  // namespace vigil::worker
