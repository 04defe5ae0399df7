#include <chrono>
#include <cstdio>
#include <exception>

#include "bisect/history/history.hpp"

// How long the commits of a range take to list: bench_history REPOSITORY GOOD BAD (full hashes).

int main(int count, char** arguments) {
    if (count != 4) {
        std::fputs("usage: bench_history REPOSITORY GOOD BAD    (full hashes)\n", stderr);
        return 2;
    }
    using namespace vigil;
    try {
        const Revision good(arguments[2]);
        const Revision bad(arguments[3]);
        for (int round = 0; round < 3; ++round) {
            const auto start = std::chrono::steady_clock::now();
            const auto suspects = history::list_suspects(arguments[1], good, bad);
            const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
            std::printf("%zu commits in %.3f s\n", suspects.size(), took.count());
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench_history: %s\n", error.what());
        return 1;
    }
    return 0;
}
