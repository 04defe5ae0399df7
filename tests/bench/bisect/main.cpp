// Figures of the search: bench_bisect [--days N] [--random N] [--many N] [--several N]
// [--machines N] [--steps N] [--bound N] [--first SEED] [--family PREFIX] [--vigil]. N days a
// family, of random ones, with many series, of one series with several culprits, with a machine
// that deceives, to take the time of a step, and against a bound of theory; the tables are
// Markdown.
//
// Its rules: bench_bisect --rules N [--rule PREFIX] [--set NAME=VALUE]... [--word WORD]
// [--family PREFIX]. Each rule at half and double over N days, or the rules that are set against
// the usual ones; of the days that WORD begins, of some families only. In the family "smooth" noise
// and effect are drawn continuously.

#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>

#include "tests/bench/bisect/sensitivity.hpp"
#include "tests/bench/bisect/tables.hpp"

namespace {

using namespace vigil::bench;

struct Options {
    int days = 0;
    int random = 0;
    int many = 0;
    int several = 0;
    int machines = 0;
    int steps = 0;
    int bound = 0;
    int first = 1;
    std::string family;  ///< only those whose name begins so
    bool vigil_only = false;
    Episodes rules{.days = 0};
    std::string rule;  ///< only those whose name begins so
    std::vector<std::string> set;
};

bool read_number(std::string_view text, int& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() && number >= 0;
}

bool read_options(int count, char** arguments, Options& options) {
    for (int i = 1; i < count; ++i) {
        const std::string_view key = arguments[i];
        if (key == "--vigil") {
            options.vigil_only = true;
            continue;
        }
        if (i + 1 == count) return false;
        const std::string_view value = arguments[++i];
        int* const number = key == "--days"       ? &options.days
                            : key == "--random"   ? &options.random
                            : key == "--many"     ? &options.many
                            : key == "--several"  ? &options.several
                            : key == "--machines" ? &options.machines
                            : key == "--steps"    ? &options.steps
                            : key == "--bound"    ? &options.bound
                            : key == "--first"    ? &options.first
                            : key == "--rules"    ? &options.rules.days
                                                  : nullptr;
        if (key == "--family") {
            options.family = value;
            options.rules.family = value;
        } else if (key == "--rule") {
            options.rule = value;
        } else if (key == "--set") {
            options.set.emplace_back(value);
        } else if (key == "--word") {
            options.rules.first = first_day(std::string(value));
        } else if (number == nullptr || !read_number(value, *number)) {
            return false;
        }
    }
    return true;
}

void print_families(const Options& options, const std::vector<Rule>& rules, std::uint64_t first) {
    Results total;
    print_family_header(rules);
    for (const Family& family : single_families()) {
        if (!family.name.starts_with(options.family)) continue;
        print_family(family, play_days(family, rules, first, options.days, total));
    }
    print_totals("All families together:", rules, total);
}

}  // namespace

int main(int count, char** arguments) {
    Options options;
    if (!read_options(count, arguments, options)) {
        std::fputs(
            "usage: bench_bisect [--days N] [--random N] [--many N] [--several N] "
            "[--machines N] [--steps N] [--bound N] [--first SEED] [--family PREFIX] [--vigil]\n"
            "       bench_bisect --rules N [--rule PREFIX] [--set NAME=VALUE]... [--word WORD] "
            "[--family PREFIX]\n",
            stderr);
        return 2;
    }
    auto rules = all_rules();
    if (options.vigil_only) rules.resize(1);
    const auto first = static_cast<std::uint64_t>(options.first);
    if (options.random > 0) {
        Results total;
        play_days(random_family(), rules, first, options.random, total);
        print_totals("Random days:", rules, total);
    }
    if (options.days > 0) print_families(options, rules, first);
    if (options.many > 0) print_many(rules, first, options.many);
    if (options.several > 0) print_several(rules, first, options.several, options.family);
    if (options.machines > 0) {
        print_machines(rules, first, options.machines, options.family);
    }
    if (options.steps > 0) print_steps(first, options.steps);
    if (options.bound > 0) print_bound(rules, first, options.bound);
    if (options.rules.days == 0) return 0;
    if (options.set.empty()) {
        print_sensitivity(options.rules, options.rule);
    } else if (!print_changes(options.rules, options.set)) {
        std::fputs("bench_bisect: no such rule\n", stderr);
        return 2;
    }
    return 0;
}
