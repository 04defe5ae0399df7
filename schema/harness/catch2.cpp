#include <cstdlib>
#include <expat.h>
#include <map>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "schema/harness/text_readers.hpp"
#include "schema/model/error.hpp"
#include "schema/text/characters.hpp"
#include "schema/text/lines.hpp"

namespace vigil::harness {

namespace {

constexpr std::size_t most_sections = 30;  // of one name, one inside the other

/// What the parser tells, element by element. Nothing may be thrown through the parser, which is
/// written in C: errors of a row stay in the collector.
class CatchDocument {
  public:
    explicit CatchDocument(Collector& into) : into_(into) {}

    void begin(std::string_view element, const char* const* attributes) {
        const bool is_result = element == "BenchmarkResults";
        if (is_named(element)) {
            const auto name = attribute(attributes, "name");
            names_.emplace_back(text::first_bytes(name, 2 * longest_name));
        }
        if (is_result) is_in_results_ = true;
        if (!is_in_results_) return;
        if (element == "failed") failed_ = true;
        if (element == "mean") mean_ = attribute(attributes, "value");
    }

    void end(std::string_view element) {
        if (element == "BenchmarkResults") end_results();
        if (is_named(element)) names_.pop_back();
    }

  private:
    static bool is_named(std::string_view element) {
        return element == "TestCase" || element == "Section" || element == "BenchmarkResults";
    }

    static std::string attribute(const char* const* attributes, std::string_view name) {
        for (; attributes[0] != nullptr; attributes += 2) {
            if (attributes[0] == name) return attributes[1];
        }
        return "";
    }

    /// A generator enters its section once for each of its values, and Catch2 does not say which:
    /// the second result of a name is its #2.
    void end_results() {
        std::string plain;
        for (std::size_t i = 0; i < names_.size(); ++i) {
            const bool is_told = i < most_sections || i + 1 == names_.size();
            if (is_told) plain += (plain.empty() ? "" : " / ") + names_[i];
        }
        plain = fitting(plain);
        const auto time = ++times_[plain];
        const auto name = time == 1 ? plain : fmt::format("{} #{}", plain, time);
        into_.row("'" + text::one_line(plain, 120) + "'", [&] { read({name, "", "", plain}); });
        is_in_results_ = failed_ = false;
        mean_.clear();
    }

    void read(const ReadingName& name) {
        if (failed_) return into_.add_failure(name, "ns", "it threw an exception");
        char* end = nullptr;
        const double mean = std::strtod(mean_.c_str(), &end);
        if (mean_.empty() || *end != '\0') {
            throw Error(
                Errc::invalid_argument,
                fmt::format("the mean '{}' is no number", mean_.substr(0, 40)));
        }
        into_.add_summary(name, "ns", mean);
    }

    Collector& into_;
    std::vector<std::string> names_;
    std::map<std::string, int> times_;
    bool is_in_results_ = false;
    bool failed_ = false;
    std::string mean_;
};

}  // namespace

void read_catch2(std::string_view text, Collector& into) {
    CatchDocument document(into);
    const std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser(
        XML_ParserCreate(nullptr), &XML_ParserFree);
    VIGIL_ASSERT(parser);
    XML_SetUserData(parser.get(), &document);
    XML_SetElementHandler(
        parser.get(),
        [](void* self, const char* element, const char** attributes) {
            static_cast<CatchDocument*>(self)->begin(element, attributes);
        },
        [](void* self, const char* element) { static_cast<CatchDocument*>(self)->end(element); });
    const auto status =
        XML_Parse(parser.get(), text.data(), static_cast<int>(text.size()), XML_TRUE);
    if (status == XML_STATUS_OK) return;
    throw Error(
        Errc::invalid_argument,
        fmt::format(
            "line {}, column {}: {}",
            XML_GetCurrentLineNumber(parser.get()),
            XML_GetCurrentColumnNumber(parser.get()) + 1,
            XML_ErrorString(XML_GetErrorCode(parser.get()))));
}

}  // namespace vigil::harness
