#include <cstdlib>
#include <expat.h>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "schema/harness/text_readers.hpp"
#include "schema/model/error.hpp"

namespace vigil::harness {

namespace {

/// What the parser tells, element by element. Nothing may be thrown through the parser, which is
/// written in C: what went wrong is kept for later.
class CatchDocument {
  public:
    explicit CatchDocument(Collector& into) : into_(into) {}

    void begin(std::string_view element, const char* const* attributes) {
        const auto named = element == "TestCase" || element == "Section";
        if (named || element == "BenchmarkResults") names_.push_back(attribute(attributes, "name"));
        if (element == "BenchmarkResults") is_in_results_ = true;
        if (element == "failed" && is_in_results_) into_.add_failure({name()}, "ns");
        if (element != "mean" || !is_in_results_) return;
        const auto value = attribute(attributes, "value");
        char* end = nullptr;
        const double mean = std::strtod(value.c_str(), &end);
        if (value.empty() || *end != '\0') {
            throw Error(
                Errc::invalid_argument,
                fmt::format("the mean '{}' is no number", value.substr(0, 40)));
        }
        into_.add_summary({name()}, "ns", mean);
    }

    void end(std::string_view element) {
        if (element == "TestCase" || element == "Section" || element == "BenchmarkResults") {
            names_.pop_back();
        }
        if (element == "BenchmarkResults") is_in_results_ = false;
    }

    std::string error;

  private:
    static std::string attribute(const char* const* attributes, std::string_view name) {
        for (; attributes[0] != nullptr; attributes += 2) {
            if (attributes[0] == name) return attributes[1];
        }
        return "";
    }

    std::string name() const {
        std::string whole;
        for (const auto& part : names_) whole += (whole.empty() ? "" : " / ") + part;
        return whole;
    }

    Collector& into_;
    std::vector<std::string> names_;
    bool is_in_results_ = false;
};

void keep_error(void* document, XML_Parser parser, const auto& step) {
    auto& kept = *static_cast<CatchDocument*>(document);
    if (!kept.error.empty()) return;
    try {
        step(kept);
    } catch (const Error& error) {
        kept.error = error.what();
        XML_StopParser(parser, XML_FALSE);
    }
}

}  // namespace

void read_catch2(std::string_view text, Collector& into) {
    CatchDocument document(into);
    const std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser(
        XML_ParserCreate(nullptr), &XML_ParserFree);
    VIGIL_ASSERT(parser);
    // The parser hands itself to the functions: they need it to stop.
    XML_UseParserAsHandlerArg(parser.get());
    XML_SetUserData(parser.get(), &document);
    XML_SetElementHandler(
        parser.get(),
        [](void* self, const char* element, const char** attributes) {
            auto* const of = static_cast<XML_Parser>(self);
            keep_error(XML_GetUserData(of), of, [&](CatchDocument& kept) {
                kept.begin(element, attributes);
            });
        },
        [](void* self, const char* element) {
            auto* const of = static_cast<XML_Parser>(self);
            keep_error(XML_GetUserData(of), of, [&](CatchDocument& kept) { kept.end(element); });
        });
    const auto status =
        XML_Parse(parser.get(), text.data(), static_cast<int>(text.size()), XML_TRUE);
    if (status == XML_STATUS_OK) return;
    throw Error(
        Errc::invalid_argument,
        fmt::format(
            "line {}, column {}: {}",
            XML_GetCurrentLineNumber(parser.get()),
            XML_GetCurrentColumnNumber(parser.get()) + 1,
            document.error.empty() ? XML_ErrorString(XML_GetErrorCode(parser.get()))
                                   : document.error));
}

}  // namespace vigil::harness
