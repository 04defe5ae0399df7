#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "service/tables/rules.hpp"

// What the printed tables are made of.

namespace vigil::tables {

/// A table of GitHub's Markdown, its columns padded so that it reads well as plain text too: the
/// first one to the left, the others to the right.
class MarkdownTable {
  public:
    explicit MarkdownTable(std::vector<std::string> headers) { add(std::move(headers)); }

    /// @param cells  as many as headers; bars are escaped, line ends become spaces
    void add(std::vector<std::string> cells);
    std::string text() const;

  private:
    std::vector<std::vector<std::string>> rows_;  // the header first
};

/// Half up; a value that is not finite is "-".
std::string rounded_words(double value, int decimals);
/// The same with a unit; "-" for none.
std::string number_words(std::optional<double> value, int decimals, const char* unit);
/// "12.5%" of 0.125.
std::string percent_words(std::optional<double> ratio);
/// "16", "unbatched", "-".
std::string batch_words(std::int64_t batch);
/// "OOM", "fail_accuracy", "-".
std::string status_words(const Result& result);

/// "## torchbench suite: time by batch (train)", or "## Time by batch (A100)" where no suite is
/// said.
/// @param label  of the way, which begins with the suite
std::string suite_heading(
    const std::string& suite, const std::string& about, const std::string& label);

/// "resnet50 (no speedup), vgg16 (oom)".
std::string left_out_words(const std::vector<LeftOut>& left_out);
/// The same behind "; left out: "; empty for none.
std::string left_out_clause(const std::vector<LeftOut>& left_out);

}  // namespace vigil::tables
