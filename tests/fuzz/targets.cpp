#include "tests/fuzz/targets.hpp"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "schema/harness/console/recognize.hpp"
#include "schema/harness/read.hpp"
#include "schema/model/error.hpp"
#include "schema/text/read_budget.hpp"
#include "schema/wire/json.hpp"
#include "schema/wire/packed.hpp"
#include "tests/support/heap_watch.hpp"

namespace vigil::fuzz {

namespace {

template <class Read>
void run_within(std::string_view text, const Read& read) {
    const auto before = test::heap_use().held;
    test::watch_heap();
    try {
        read();
    } catch (const Error&) {  // refused
    }
    const auto use = test::heap_use();
    const auto most = text::ReadBudget::times_text * text.size() + text::ReadBudget::free_bytes;
    if (use.peak - before > most) {
        std::fprintf(stderr, "%zu bytes of memory for %zu\n", use.peak - before, text.size());
        std::abort();
    }
    if (use.held > before + 65'536) {
        std::fprintf(stderr, "%zu bytes stay\n", use.held - before);
        std::abort();
    }
}

/// Whoever wrote it is seen from the text.
void fuzz_files(std::string_view text) {
    run_within(text, [&] { harness::read_reports(text, "file", {.takes_nothing = true}); });
    run_within(text, [&] { harness::is_report(text); });
}

/// Each reader, whatever the text looks like.
void fuzz_formats(std::string_view text) {
    for (const auto& [harness, name] : enum_names<harness::Harness>) {
        run_within(text, [&, format = harness] {
            harness::read_reports(text, "file", {.format = format, .file_name = "a_amp.csv"});
        });
    }
}

void fuzz_tables(std::string_view text) {
    run_within(text, [&] { harness::recognize({"./bench", text, "", true}); });
    run_within(text, [&] { harness::read_output(text); });
}

void fuzz_json(std::string_view text) {
    run_within(text, [&] {
        text::ReadBudget budget(text.size());
        wire::parse_json(text, "text", {.budget = &budget});
    });
}

void fuzz_packed(std::string_view text) {
    using Values = std::map<std::string, std::vector<std::optional<double>>>;
    run_within(text, [&] {
        if (const auto values = wire::unpacked<Values>(text);
            wire::packed(values).size() > text.size()) {
            std::abort();
        }
    });
}

constexpr FuzzTarget targets[] = {
    {"files", &fuzz_files, {"harness", "fuzz/files", nullptr}},
    {"formats", &fuzz_formats, {"harness", "fuzz/files", nullptr}},
    {"tables", &fuzz_tables, {"harness_tables", "fuzz/tables", nullptr}},
    {"json", &fuzz_json, {"harness", "fuzz/files", nullptr}},
    {"packed", &fuzz_packed, {"fuzz/packed", nullptr, nullptr}}};

}  // namespace

std::span<const FuzzTarget> fuzz_targets() {
    return targets;
}

}  // namespace vigil::fuzz
