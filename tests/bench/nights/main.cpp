// Plays nights of a simulated fleet to the service and scores what it says; see --help.

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "schema/log/log.hpp"
#include "schema/model/error.hpp"
#include "tests/bench/nights/fleet.hpp"
#include "tests/bench/nights/hours.hpp"
#include "tests/bench/nights/record_json.hpp"
#include "tests/bench/nights/tables.hpp"
#include "tests/bench/nights/year.hpp"

namespace {

using namespace vigil;

constexpr const char* help =
    "bench_nights [OPTION...]: plays nights of a simulated fleet through the service's own logic\n"
    "and ledger, in one process on a fake clock, and scores what it says against the truth.\n"
    "The tables are the same for the same options; processor seconds go to standard error.\n"
    "\n"
    "  --seed WORD,...    worlds to play, whose scores add up [dev]\n"
    "  --quick            72 series and fewer changes, instead of 384\n"
    "  --nights N         [130; quick 120]\n"
    "  --warm N           nights before the first planted change [28; quick 14]\n"
    "  --benchmarks N     of each class; each has six series [32; quick 12]\n"
    "  --classes N        machine classes [2; quick 1]\n"
    "  --workers N        of each class [2]\n"
    "  --rate X           planted changes a night, about; 0: none [4; quick 1]\n"
    "  --gap N            nights that a series rests between changes [28; quick 14]\n"
    "  --noises A,B       of times [G1,G3,N3,LN5,SP2,BI6,AR3; also T3,LJ1,BB6,N10,ZERO]\n"
    "  --memory A,B       of memory [MEMd,MEMq]\n"
    "  --merges X         share of the commits that bring a branch [.08]\n"
    "  --broken X         share of the commits that do not build [.02]\n"
    "  --no-moves         no machine becomes slower\n"
    "  --world FILE,...   the worlds of these records instead: their commits and plants\n"
    "  --record FILE      the last world and what was said of it, as JSON\n"
    "  --hours N          instead: how long the culprits of N changes take, on workers that take\n"
    "                     their time\n"
    "  --year FILE        instead: times and sizes by quarters of the nights, on a ledger in this\n"
    "                     file, which is not there yet and stays\n"
    "  --raw-nights N     of a year: so many nights keep their runs, older ones are rolled up; 0:\n"
    "                     all keep them [0]\n"
    "  --answered-after N of a year: somebody accepts each regression that is open for so many\n"
    "                     nights; 0: nobody does [0]\n"
    "  --list             also every change that was missed or named wrong, every false issue\n";

struct Wish {
    nights::Options options;
    std::vector<std::string> words;
    std::vector<std::string> worlds;
    std::string record;
    bool lists = false;
    int hours = 0;
    std::string year;
};

std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> parts(1);
    for (const char c : text) {
        if (c == ',') {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    return parts;
}

double number(std::string_view option, const std::string& text, double least, double most) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !(value >= least && value <= most)) {
        throw Error(
            Errc::invalid_argument,
            std::string(option) + " takes a number from " + std::to_string(least) + " to " +
                std::to_string(most) + ", not '" + text + "'");
    }
    return value;
}

void read_value(Wish& wish, std::string_view option, const std::string& value) {
    auto& o = wish.options;
    const auto whole = [&](int& into, int least, int most) {
        into = static_cast<int>(number(option, value, least, most));
    };
    if (option == "--seed") {
        wish.words = split(value);
    } else if (option == "--world") {
        wish.worlds = split(value);
    } else if (option == "--record") {
        wish.record = value;
    } else if (option == "--nights") {
        whole(o.nights, 1, 3000);
    } else if (option == "--warm") {
        whole(o.warm, 0, 3000);
    } else if (option == "--benchmarks") {
        whole(o.benchmarks, 1, 5000);
    } else if (option == "--classes") {
        whole(o.classes, 1, 20);
    } else if (option == "--workers") {
        whole(o.workers, 1, 20);
    } else if (option == "--year") {
        wish.year = value;
    } else if (option == "--raw-nights") {
        whole(o.raw_nights, 0, 3000);
    } else if (option == "--answered-after") {
        whole(o.answered_after, 0, 3000);
    } else if (option == "--hours") {
        whole(wish.hours, 1, 100);
    } else if (option == "--gap") {
        whole(o.gap, 1, 3000);
    } else if (option == "--rate") {
        o.rate = number(option, value, 0, 100);
    } else if (option == "--merges") {
        o.merges = number(option, value, 0, 1);
    } else if (option == "--broken") {
        o.broken = number(option, value, 0, .5);
    } else if (option == "--noises") {
        o.noises = split(value);
    } else if (option == "--memory") {
        o.memory = split(value);
    } else {
        throw Error(
            Errc::invalid_argument, "there is no option " + std::string(option) + "; see --help");
    }
}

Wish read_wish(const std::vector<std::string>& arguments) {
    Wish wish;
    const auto has = [&](const char* option) {
        for (const auto& one : arguments) {
            if (one == option) return true;
        }
        return false;
    };
    if (has("--quick")) wish.options = nights::quick_options();
    wish.words = {wish.options.seed};
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const auto& option = arguments[i];
        if (option == "--quick") continue;
        if (option == "--no-moves") {
            wish.options.moves = false;
        } else if (option == "--list") {
            wish.lists = true;
        } else if (i + 1 == arguments.size()) {
            read_value(wish, option, "");
        } else {
            read_value(wish, option, arguments[++i]);
        }
    }
    return wish;
}

int run(const std::vector<std::string>& arguments) {
    for (const auto& one : arguments) {
        if (one == "--help") return std::fputs(help, stdout) < 0 ? 1 : 0;
    }
    Wish wish = read_wish(arguments);
    if (wish.hours > 0) {
        return std::fputs(nights::hours_table(wish.words.front(), wish.hours).c_str(), stdout) < 0;
    }
    if (!wish.year.empty()) {
        nights::tell_year(wish.options, wish.year, [](const std::string& text) {
            std::fputs(text.c_str(), stdout);
            std::fflush(stdout);
        });
        return 0;
    }
    nights::Score total;
    std::string lists;
    const auto play = [&](const nights::World& world) {
        const auto record = nights::play(world);
        const auto score = nights::judge(world, record);
        if (wish.lists) lists += nights::list(world.options().seed, score);
        if (!wish.record.empty()) nights::write_play(wish.record, world, record);
        total.add(score);
        std::fputs(nights::speed(world, record).c_str(), stderr);
    };
    for (const auto& file : wish.worlds) play(nights::read_world(file));
    for (const auto& word : wish.words) {
        wish.options.seed = word;
        if (wish.worlds.empty()) play(nights::World(wish.options));
    }
    std::fputs((nights::tables(total) + lists).c_str(), stdout);
    return total.stuck.empty() ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
    try {
        vigil::start_logging("error");
        return run({arguments + 1, arguments + count});
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench_nights: %s\n", error.what());
        return 2;
    }
}
