#include "service/local/builds/workshop.hpp"

#include <chrono>
#include <fstream>
#include <future>

#include <fmt/format.h>

#include "schema/model/error.hpp"
#include "service/local/builds/product.hpp"
#include "service/local/reading/printed_value.hpp"
#include "worker/run/guarded.hpp"

namespace vigil::local {

namespace {

namespace fs = std::filesystem;

constexpr int not_found_code = 127;  // of a shell that finds no such command
constexpr int most_places = 256;
constexpr double second_in_ns = 1e9;

/// What fails for want of space says nothing of its commit.
void check_space(const fs::path& folder) {
    constexpr std::uintmax_t least_bytes = 8 << 20;
    std::error_code failure;
    const auto space = fs::space(folder, failure);
    if (failure || space.available >= least_bytes) return;
    throw Error(
        Errc::unavailable,
        fmt::format(
            "the disk of the state folder {} is full ({} KiB left); make room, or choose another "
            "with --state; the same command then goes on",
            folder.string(),
            space.available / 1024));
}

double seconds_since(std::chrono::steady_clock::time_point begun) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

void write_log(const fs::path& file, const std::string& text) {
    std::error_code ignored;
    fs::create_directories(file.parent_path(), ignored);
    std::ofstream(file, std::ios::binary) << text;  // only for people: missing is no error
}

}  // namespace

Workshop::Workshop(
    const World& world, Commands& commands, Repository& repository, fs::path folder, Order order)
    : world_(world),
      commands_(commands),
      repository_(repository),
      folder_(std::move(folder)),
      order_(std::move(order)),
      submodules_(commands, repository.git_folder(), folder_ / "submodules") {
    recover();
}

Workshop::~Workshop() {
    // Cleaning up must also work while being told to stop, and never throws.
    try {
        recover();
    } catch (const Error&) {
    }
    std::error_code ignored;
    fs::remove_all(folder_ / "work", ignored);
}

fs::path Workshop::tree_of(int place) const {
    return folder_ / "work" / std::to_string(place) / "tree";
}

/// Where its worktree waits while products are measured in its place.
fs::path Workshop::source_of(int place) const {
    return folder_ / "work" / std::to_string(place) / "source";
}

fs::path Workshop::product_of(const Revision& revision) const {
    std::string name = revision.str();
    if (moved_) {
        name += "-in-" + moved_->commit.brief();
        if (revision == moved_->before) name = moved_->parent.str();
        if (revision == moved_->after) name = moved_->commit.str();
    }
    return folder_ / "products" / name;
}

fs::path Workshop::build_log(const Revision& revision) const {
    return folder_ / "logs" / (revision.str() + ".log");
}

void Workshop::recover() {
    std::error_code failure;
    for (const auto& entry : fs::directory_iterator(folder_ / "products", failure)) {
        const auto record = find_record(entry.path());
        if (record && fs::is_directory(entry.path() / "tree")) continue;
        // The one that was being measured, or one that was half kept.
        if (record && is_record_of(tree_of(record->place), entry.path())) {
            move_path(tree_of(record->place), entry.path() / "tree");
            continue;
        }
        std::error_code ignored;
        fs::remove_all(entry.path(), ignored);
    }
    for (int place = 0; place < most_places && fs::exists(folder_ / "work" / std::to_string(place));
         ++place) {
        clear_place(place);
    }
}

void Workshop::clear_place(int place) {
    sources_.erase(place);
    std::error_code failure;
    fs::remove_all(tree_of(place).parent_path(), failure);
    if (failure) {
        throw Error(
            Errc::unavailable, "removing " + tree_of(place).string() + ": " + failure.message());
    }
    repository_.forget_worktree(tree_of(place));
}

/// The commit's files and nothing else. Most are those of the commit before: where its worktree is
/// still there, only what differs is written. What submodules left there is not seen by git.
std::string Workshop::check_out(int place, const Revision& wanted) {
    const fs::path tree = tree_of(place);
    const Revision& revision = moved_ ? moved_->commit : wanted;
    std::optional<Submodules::MovedPin> moved;
    if (moved_) moved = {moved_->path, wanted};
    if (sources_.erase(place) > 0) {
        move_path(source_of(place), tree);
        if (repository_.renew_worktree(tree, revision)) {
            return submodules_.fill(tree, revision, moved);
        }
    }
    clear_place(place);
    std::error_code ignored;
    fs::create_directories(tree.parent_path(), ignored);
    repository_.add_worktree(tree, revision);
    return submodules_.fill(tree, revision, moved);
}

/// Ends a build: its place is free for products.
void Workshop::put_away(int place) {
    const fs::path tree = tree_of(place);
    if (!fs::exists(tree / ".git") || fs::exists(tree / ".gitmodules")) return clear_place(place);
    move_path(tree, source_of(place));
    sources_.insert(place);
}

std::optional<std::string> Workshop::find_product(const Revision& revision) const {
    const auto record = find_record(product_of(revision));
    if (!record || !fs::is_directory(product_of(revision) / "tree")) return std::nullopt;
    return record->digest;
}

std::vector<BuildResult> Workshop::build(const std::vector<Revision>& revisions) {
    std::vector<std::future<worker::RunReport>> builds;
    std::vector<double> handling;
    std::vector<std::string> refused;
    std::vector<EnvironmentVariables> told;
    for (std::size_t i = 0; i < revisions.size(); ++i) {
        const auto begun = std::chrono::steady_clock::now();
        refused.push_back(check_out(static_cast<int>(i), revisions[i]));
        const auto& told_of = moved_ ? moved_->commit : revisions[i];
        told.push_back(repository_.version_variables(told_of));
        handling.push_back(seconds_since(begun));
    }
    for (std::size_t i = 0; i < revisions.size(); ++i) {
        const auto work = [this, &refused, &told, i] {
            worker::RunReport report;
            report.message = report.output = refused[i];
            if (!refused[i].empty()) return report;
            const int place = static_cast<int>(i);
            Commands own(world_, folder_ / "scratch" / std::to_string(place));
            return own.shell(
                order_.build, tree_of(place), order_.timeout_s, worker::Streams::merged, told[i]);
        };
        builds.push_back(std::async(std::launch::async, work));
    }
    std::vector<worker::RunReport> reports;
    for (auto& build : builds) reports.push_back(build.get());
    std::vector<BuildResult> results;
    for (std::size_t i = 0; i < revisions.size() && !world_.stopped(); ++i) {
        const auto begun = std::chrono::steady_clock::now();
        results.push_back(keep(revisions[i], static_cast<int>(i), reports[i]));
        results.back().handling_seconds = handling[i] + seconds_since(begun);
    }
    results.resize(revisions.size());
    return results;
}

BuildResult Workshop::keep(const Revision& revision, int place, const worker::RunReport& report) {
    write_log(build_log(revision), report.output);
    BuildResult result;
    result.seconds = static_cast<double>(report.wall_time_ns) / second_in_ns;
    result.message = failure_of(report);
    const fs::path product = product_of(revision);
    std::error_code ignored;
    fs::remove_all(product, ignored);
    if (result.message.empty()) {
        result.message = take_product(tree_of(place), order_.outputs, product / "tree");
    }
    if (result.message.empty()) {
        result.built = true;
        result.digest = digest_of_tree(product / "tree");
        write_record(product, {result.digest, place});
    }
    put_away(place);
    if (!result.built) check_space(folder_);
    return result;
}

std::string Workshop::run_failure(const worker::RunReport& report) const {
    const bool ended = report.end == worker::RunEnd::exited && report.exit_code != not_found_code;
    return order_.ignore_failure && ended ? "" : failure_of(report);
}

RunResult Workshop::read(
    const Revision& revision, const worker::RunReport& report, std::size_t members) const {
    RunResult result;
    result.seconds =
        static_cast<double>(report.wall_time_ns) / second_in_ns / static_cast<double>(members);
    result.message = run_failure(report);
    if (report.exit_code == not_found_code && order_.build == nothing_to_build) {
        result.message += "; nothing was built: give --build CMD";
    }
    if (report.wall_time_ns > 0) {
        result.busy =
            static_cast<double>(report.cpu_time_ns) / static_cast<double>(report.wall_time_ns);
    }
    result.alone = members < 2;
    if (result.message.empty()) {
        try {
            if (reads_all(order_)) {
                result.printed = guarded_cases_of(report, order_);
            } else {
                result.value = guarded_value_of(report, order_);
            }
        } catch (const Error& error) {
            result.message = error.what();
        }
    }
    if (!result.message.empty()) {
        write_log(folder_ / "logs" / (revision.str() + "-run.log"), report.output + report.errors);
    }
    return result;
}

template <class Work>
auto Workshop::in_place(const Revision& revision, const Work& work) {
    const fs::path product = product_of(revision);
    const auto record = find_record(product);
    VIGIL_ASSERT(record.has_value());
    const fs::path tree = tree_of(record->place);
    write_claim(tree.parent_path(), product);
    move_path(product / "tree", tree);
    try {
        auto result = work(tree);
        move_path(tree, product / "tree");
        return result;
    } catch (...) {
        move_path(tree, product / "tree");
        throw;
    }
}

worker::RunReport Workshop::run_once(const Revision& revision) {
    if (order_.at_once > 1) return run_reports({revision}).front();
    return in_place(revision, [&](const fs::path& tree) {
        return commands_.shell(bench_line(order_), tree, order_.timeout_s, worker::Streams::apart);
    });
}

profile::Profile Workshop::profile(const Revision& revision, Profiler profiler, int timeout_s) {
    return in_place(revision, [&](const fs::path& tree) {
        const auto run = commands_.profile(profiler, bench_line(order_), tree, timeout_s);
        const auto failure = run_failure(run.report);
        if (!failure.empty()) {
            throw Error(
                Errc::unavailable,
                fmt::format("under {}: {}{}", to_string(profiler), failure, what_helps(run)));
        }
        return worker::read_profile(run, tree.string());
    });
}

std::optional<ReadAs> Workshop::look(const Revision& revision) {
    if (looked_ || order_.measure == Measure::memory) return std::nullopt;
    seen_.emplace(revision, run_once(revision));
    if (!run_failure(seen_->second).empty())
        return std::nullopt;  // what it did is told as of any run
    auto found = guarded_read_as(seen_->second, order_);
    looked_ = true;
    if (!found) return std::nullopt;
    const Order plain = order_;
    order_ = reading_as(plain, found->read_as);
    const auto name = found->exact_form.substr(0, found->exact_form.find('='));
    if (name.empty() || world_.environment.contains(name)) return found->read_as;
    ReadAs exact = found->read_as;
    exact.bench = fmt::format("export {}; {}", found->exact_form, plain.bench);
    order_ = reading_as(plain, exact);
    auto report = run_once(revision);
    try {
        if (run_failure(report).empty()) {
            reads_all(order_) ? void(guarded_cases_of(report, order_))
                              : void(guarded_value_of(report, order_));
            seen_->second = std::move(report);
            return exact;
        }
    } catch (const Error&) {  // it prints something else then
    }
    order_ = reading_as(plain, found->read_as);
    return found->read_as;
}

void Workshop::read_as(const std::optional<ReadAs>& known, const std::string& select) {
    looked_ = true;
    order_.select = select;
    if (known) order_ = reading_as(std::move(order_), *known);
}

RunResult Workshop::run(const Revision& revision) {
    const bool seen = seen_ && seen_->first == revision;
    const auto report = seen ? std::move(seen_->second) : run_once(revision);
    seen_.reset();
    const auto result = read(revision, report, 1);
    if (!result.gave_value()) check_space(folder_);
    return result;
}

std::vector<worker::RunReport> Workshop::run_reports(const std::vector<Revision>& revisions) {
    std::vector<Commands::ShownProduct> places;
    for (const Revision& revision : revisions) {
        const auto record = find_record(product_of(revision));
        VIGIL_ASSERT(record.has_value());
        std::error_code ignored;  // a missing folder is an error of the run
        fs::create_directories(tree_of(record->place), ignored);
        places.push_back({product_of(revision) / "tree", tree_of(record->place)});
    }
    const auto sharing =
        order_.measure == Measure::samples ? worker::Sharing::turns : worker::Sharing::processor;
    return commands_.together(bench_line(order_), places, order_.timeout_s, sharing);
}

std::vector<RunResult> Workshop::run_group(const std::vector<Revision>& revisions) {
    seen_.reset();  // it was alone, and these are not
    const auto reports = run_reports(revisions);
    std::vector<RunResult> results;
    for (std::size_t i = 0; i < revisions.size(); ++i) {
        results.push_back(read(revisions[i], reports[i], revisions.size()));
    }
    return results;
}

std::vector<RunResult> Workshop::run_together(const std::vector<Revision>& revisions) {
    auto results = run_group(revisions);
    for (std::size_t i = 0; i < results.size() && results.size() > 1; ++i) {
        if (results[i].value || world_.stopped()) continue;
        const double seconds = results[i].seconds;
        results[i] = run_group({revisions[i]}).front();
        results[i].seconds += seconds;
    }
    for (const auto& result : results) {
        if (!result.value && !world_.stopped()) check_space(folder_);
    }
    return results;
}

std::uintmax_t Workshop::kept_bytes() const {
    std::uintmax_t bytes = 0;
    std::error_code failure;
    fs::recursive_directory_iterator at(folder_ / "products", failure), end;
    for (; !failure && at != end; at.increment(failure)) {
        std::error_code ignored;
        if (!at->is_symlink(ignored) && at->is_regular_file(ignored)) {
            bytes += at->file_size(ignored);
        }
    }
    return bytes;
}

}  // namespace vigil::local
