#include "service/local/request.hpp"

#include <fmt/format.h>

#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "service/local/builds/temporary_folder.hpp"

namespace vigil::local {

namespace fs = std::filesystem;

void check_at_once(const LocalRequest& request) {
    const Measure measure = request.order.measure;
    if (request.at_once <= 1 || measure == Measure::cpu || measure == Measure::samples) return;
    throw Error(
        Errc::invalid_argument,
        "--at-once is for --metric cpu and samples: wall time and memory are measured alone");
}

Bench::Bench(const LocalRequest& request, const World& world) : order_(request.order) {
    Trees trees = Trees::plain;
    {
        // Before it is known where the state lies.
        const TemporaryFolder scratch("vigil");
        Commands first(world, scratch.path());
        Repository repository(first, request.repository);
        order_.repository = repository.path().string();
        order_.good = repository.resolve(request.good);
        order_.bad = repository.resolve(request.bad);
        for (const auto& end : {order_.good, order_.bad}) {
            if (repository.has_submodules(end)) trees = Trees::with_submodules;
        }
        decide_at_once(request, first);
    }
    const fs::path name = fs::path(order_.repository).filename();
    fs::path state = fs::absolute(request.state).lexically_normal();
    folder_ = state / fmt::format("{}-{}", name.string(), build_key(order_, trees));
    lock_ = std::make_unique<FolderLock>(folder_);
    commands_ = std::make_unique<Commands>(world, folder_ / "scratch" / "own");
    repository_ = std::make_unique<Repository>(*commands_, order_.repository);
    if (order_.at_once > 1) commands_->prepare_together();
    workshop_ = std::make_unique<Workshop>(world, *commands_, *repository_, folder_, order_);
}

void Bench::decide_at_once(const LocalRequest& request, Commands& commands) {
    order_.at_once = request.at_once > 0 ? request.at_once : at_once_for(order_.measure);
    if (order_.at_once <= 1) return;
    check_at_once(request);
    const std::string reason = commands.prepare_together();
    if (reason.empty()) return;
    if (request.at_once > 0) {
        throw Error(Errc::unavailable, "measuring several builds at once: " + reason);
    }
    order_.at_once = 1;
    note_ = "runs follow one another, so a machine that changes its speed disturbs them more: " +
            reason;
}

/// The log of this search; with `again` an older one is put aside.
fs::path log_of(const Bench& bench, const LocalRequest& request) {
    const fs::path file = bench.folder() / ("bisect-" + search_key(bench.order()) + ".jsonl");
    std::error_code ignored;
    if (request.again) fs::rename(file, file.string() + ".old", ignored);
    return file;
}

std::string end_text(const std::string& side, const Revision& revision) {
    return fmt::format("the {} commit {}", side, revision.brief());
}

void refuse_end(
    const std::string& what,
    const std::string& where,
    const std::string& message,
    const fs::path& log) {
    throw Error(
        Errc::conflict,
        fmt::format(
            "{} fails at {}: {} (all it printed: {})",
            what,
            where,
            text::one_line(message, 200),
            log.string()));
}

}  // namespace vigil::local
