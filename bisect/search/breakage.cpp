#include "bisect/search/breakage.hpp"

#include "schema/model/error.hpp"

namespace vigil::search {

namespace {

bool is_broken(const BuildTries& tries) {
    return !tries.built && tries.failures >= tries_of_a_build;
}

}  // namespace

BreakageStep next_build(std::span<const BuildTries> commits) {
    VIGIL_ASSERT(commits.size() >= 2);
    const int last = static_cast<int>(commits.size()) - 1;
    const auto at = [&](int commit) { return commits[static_cast<std::size_t>(commit)]; };
    if (at(last).built) return {Breakage::none, last};
    if (!is_broken(at(last))) return {Breakage::open, last};
    if (is_broken(at(0))) return {Breakage::elsewhere, 0};
    if (!at(0).built) return {Breakage::open, 0};
    int good = last - 1;
    while (!at(good).built) --good;
    int bad = good + 1;
    while (at(bad).failures == 0) ++bad;
    if (bad - good > 1) return {Breakage::open, good + (bad - good) / 2};
    return {is_broken(at(bad)) ? Breakage::commit : Breakage::open, bad};
}

}  // namespace vigil::search
