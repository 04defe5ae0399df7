#include "service/local/why.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bisect/why/sampling.hpp"
#include "bisect/why/why.hpp"
#include "schema/model/error.hpp"
#include "schema/profile/flame.hpp"
#include "schema/profile/operators.hpp"
#include "schema/text/numbers.hpp"
#include "service/local/answer.hpp"

namespace vigil::local {

namespace {

constexpr std::size_t usual_columns = 100;
constexpr const char* dhat_by_hand =
    "dhat, which takes minutes of LibTorch, was not asked; functions and files by it: --profiler "
    "dhat";

/// Where a process is measured from outside, nothing was read of what it prints.
bool is_vigil_bench(const Order& order) {
    constexpr const char* program = "vigil-bench";
    if (order.read_as) return order.read_as->program == program;
    return order.bench.find(program) != order.bench.npos;
}

}  // namespace

std::vector<Profiler> profilers_for(const Order& order, std::optional<Profiler> wish) {
    if (wish) return {*wish};
    std::vector<Profiler> all;
    if (is_vigil_bench(order)) all.push_back(Profiler::operators);
    const bool is_memory = kind_of(order) == MetricKind::memory;
    all.push_back(is_memory ? Profiler::dhat : Profiler::callgrind);
    return all;
}

namespace {

bool tells_memory(const profile::Why& why) {
    return why.unit == profile::CostUnit::operator_peak_bytes;
}

/// What one profiler tells.
struct Explained {
    profile::Why why;
    bool is_open = false;  ///< another profiler may tell more
};

/// @throws Error{unavailable} where it cannot be, saying why
Explained explain_by(
    Profiler profiler,
    Workshop& workshop,
    Repository& repository,
    const WhySides& sides,
    const std::function<void(const std::string&)>& say,
    std::string& flame) {
    say(fmt::format(
        "profiling good {} by {}, at most {}",
        sides.good.brief(),
        profiler == Profiler::operators ? "its operators" : to_string(profiler),
        text::duration(sides.timeout_s)));
    auto before = workshop.profile(sides.good, profiler, sides.timeout_s);
    say("profiling bad " + sides.bad.brief());
    auto after = workshop.profile(sides.bad, profiler, sides.timeout_s);
    if (profiler == Profiler::operators && sides.is_memory) {
        profile::by_memory(before, after);
    }
    const auto touched = repository.changed_files(sides.good, sides.bad);
    const auto drawn = profile::flame_svg(
        before, after, {"good " + sides.good.brief(), "bad " + sides.bad.brief()});
    if (!drawn.empty()) flame = drawn;
    auto why = why::explain(before, after, sides.change_ratio, touched);
    const bool is_open = why::leaves_open(why, after, sides.change_ratio);
    return {std::move(why), is_open};
}

}  // namespace

LocalWhy explain_sides(
    Workshop& workshop,
    Repository& repository,
    const WhySides& sides,
    const std::function<void(const std::string&)>& say) {
    LocalWhy why;
    const auto begun = std::chrono::steady_clock::now();
    std::vector<profile::Why> found;
    // In place of exact counts that cannot be made, or leave the question open, samples come first.
    auto profilers = sides.profilers;
    bool has_exact = false;
    for (std::size_t i = 0; i < profilers.size(); ++i) {
        const auto profiler = profilers[i];
        auto none = worker::why_no_profiler(profiler);
        bool is_open = true;
        try {
            if (none.empty()) {
                auto one = explain_by(profiler, workshop, repository, sides, say, why.flame);
                is_open = one.is_open;
                if (!is_open && tells_memory(one.why) && std::erase(profilers, Profiler::dhat)) {
                    one.why.notes.emplace_back(dhat_by_hand);
                }
                const bool is_first = profiler == Profiler::perf && has_exact;
                found.insert(is_first ? found.end() - 1 : found.end(), std::move(one.why));
                has_exact = profiler == Profiler::callgrind;
            }
        } catch (const Error& error) {
            none = error.what();
        }
        if (!none.empty()) why.why_none += (why.why_none.empty() ? "" : "; ") + none;
        if (profiler == Profiler::callgrind && is_open) profilers.push_back(Profiler::perf);
    }
    why.found = why::one_of(std::move(found), why.why_none);
    why.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    return why;
}

std::optional<LocalWhy> explain_culprit(
    const SearchAccount& account,
    Bench& bench,
    std::optional<Profiler> wish,
    const std::function<void(const std::string&)>& say) {
    const auto& [story, decision] = answering(account);
    if (!names_culprit(decision)) return std::nullopt;
    const auto& ending = decision.endings.front();
    const WhySides sides{
        story.revision(ending.parent),
        story.revision(ending.first),
        ending.verified.change_ratio,
        profilers_for(bench.order(), wish),
        kind_of(bench.order()) == MetricKind::memory,
        std::min(bench.order().timeout_s, profile_timeout_s)};
    auto& workshop = bench.workshop();
    workshop.enter(std::nullopt);
    for (const auto& revision : {sides.good, sides.bad}) {
        if (workshop.find_product(revision)) continue;
        say("building " + revision.brief());
        const auto built = workshop.build({revision}).front();
        if (!built.built) {
            LocalWhy why;
            why.why_none = revision.brief() + " does not build: " + built.message;
            return why;
        }
    }
    return explain_sides(workshop, bench.repository(), sides, say);
}

std::string why_text(const LocalWhy& why, std::size_t width) {
    if (!why.found) return "\nwhy: not known: " + why.why_none + "\n";
    return fmt::format(
               "\nwhy: {} of one run of each side, by {} ({})\n",
               profile::unit_words(why.found->unit),
               profile::tool_of(why.found->unit),
               text::short_duration(why.seconds)) +
           profile::why_text(*why.found, width == 0 ? usual_columns : width);
}

nlohmann::json why_json(const LocalWhy& why) {
    auto value = why.found ? profile::why_json(*why.found)
                           : nlohmann::json{{"words", "not known: " + why.why_none}};
    value["seconds"] = why.seconds;
    return value;
}

}  // namespace vigil::local
