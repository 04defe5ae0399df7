// Runs the fuzz targets over the kept corpora and over texts that were changed by lot; the same
// seed gives the same texts. libFuzzer finds more: see libfuzzer.cpp.
//
//   fuzz_harness DATA [MUTATIONS] [SEED] [TARGET]   DATA is tests/data; 20 for each file, seed 1

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/targets.hpp"

namespace {

using namespace vigil::fuzz;
namespace fs = std::filesystem;

constexpr std::size_t longest_text = 1 << 16;

struct Kept {
    std::string name;
    std::string text;
};

std::vector<Kept> kept_of(const FuzzTarget& target, const fs::path& data) {
    std::vector<Kept> all;
    for (const char* folder : target.corpora) {
        if (folder == nullptr) break;
        for (const auto& entry : fs::directory_iterator(data / folder)) {
            std::ifstream in(entry.path(), std::ios::binary);
            all.push_back({entry.path().string(), {std::istreambuf_iterator<char>(in), {}}});
        }
    }
    std::ranges::sort(all, {}, &Kept::name);
    return all;
}

class Mutator {
  public:
    Mutator(const std::vector<Kept>& kept, std::uint64_t seed) : kept_(kept), dice_(seed) {}

    std::string changed(std::string text) {
        for (auto times = 1 + below(4); times > 0; --times) change(text);
        if (text.size() > longest_text) text.resize(longest_text);
        return text;
    }

  private:
    std::size_t below(std::size_t end) { return end == 0 ? 0 : dice_() % end; }

    void change(std::string& text) {
        static constexpr std::string_view words[] = {
            "\"",
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\n",
            "\\",
            "<",
            ">",
            "null",
            "NaN",
            "1e999",
            "-1",
            "\xff",
            "\xEF\xBB\xBF",
            "9223372036854775808",
            "&amp;",
            "<Section name=\"a\">",
            "[[[[[["};
        const auto at = below(text.size() + 1);
        const auto part = text.substr(at, below(64));
        switch (below(6)) {
            case 0: text.erase(at, below(64)); break;
            case 1: text.insert(at, words[below(std::size(words))]); break;
            case 2:
                if (at < text.size()) text[at] = static_cast<char>(below(256));
                break;
            case 3:  // again and again
                for (auto times = below(200); times > 0; --times) text.insert(at, part);
                break;
            case 4: text.resize(at); break;
            default: {
                const auto& other = kept_[below(kept_.size())].text;
                const auto from = below(other.size() + 1);
                text.insert(at, other.substr(from, below(4096)));
            }
        }
        if (text.size() > 2 * longest_text) text.resize(longest_text);
    }

    const std::vector<Kept>& kept_;
    std::mt19937_64 dice_;
};

}  // namespace

int main(int count, char** arguments) {
    if (count < 2) {
        std::fputs("usage: fuzz_harness DATA [MUTATIONS] [SEED] [TARGET]\n", stderr);
        return 2;
    }
    const int mutations = count > 2 ? std::atoi(arguments[2]) : 20;
    const auto seed = count > 3 ? std::strtoull(arguments[3], nullptr, 10) : 1;
    for (const auto& target : fuzz_targets()) {
        if (count > 4 && std::string_view(arguments[4]) != target.name) continue;
        const auto kept = kept_of(target, arguments[1]);
        Mutator mutator(kept, seed);
        for (const auto& [name, text] : kept) {
            std::printf("%s: %s\n", target.name, name.c_str());
            std::fflush(stdout);
            target.run(text);
            for (int i = 0; i < mutations; ++i) {
                const auto other = mutator.changed(text);
                // What ended a run lies there.
                std::ofstream("fuzz-last", std::ios::binary) << other;
                target.run(other);
            }
        }
    }
    std::remove("fuzz-last");
}
