#include <cstdlib>
#include <exception>
#include <expat.h>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "schema/harness/text_readers.hpp"
#include "schema/model/error.hpp"
#include "schema/text/characters.hpp"
#include "schema/text/lines.hpp"

namespace vigil::harness {

namespace {

constexpr std::size_t most_sections = 30;  // of one name, one inside the other

/// What the parser tells, element by element.
class CatchDocument {
  public:
    explicit CatchDocument(Collector& into) : into_(into) {}

    void begin(std::string_view element, const char* const* attributes) {
        text::ReadBudget::check_level(++level_);
        note_kind(element);
        for (const auto* at = attributes; *at != nullptr; at += 2) note_kind(*at);
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
        --level_;
    }

  private:
    /// The parser keeps each name of an element or attribute that it has seen.
    void note_kind(std::string_view name) {
        if (kinds_.find(name) != kinds_.end()) return;
        constexpr std::size_t parser_bytes = 128;
        into_.budget().make(
            parser_bytes + 2 * (text::tree_bytes + sizeof(std::string) + name.size()));
        kinds_.emplace(name);
    }

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
            const bool is_reported = i < most_sections || i + 1 == names_.size();
            if (is_reported) plain += (plain.empty() ? "" : " / ") + names_[i];
        }
        plain = into_.fit({plain}).benchmark;
        if (!times_.contains(plain)) {
            into_.budget().make(
                sizeof plain + sizeof(int) + text::tree_bytes + text::heap_bytes(plain));
        }
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
    std::set<std::string, std::less<>> kinds_;
    std::size_t level_ = 0;
    bool is_in_results_ = false;
    bool failed_ = false;
    std::string mean_;
};

/// The parser is written in C: nothing is thrown through it, and what was ends it.
class CatchParser {
  public:
    explicit CatchParser(Collector& into)
        : document_(into), parser_(XML_ParserCreate(nullptr), &XML_ParserFree) {
        if (!parser_) throw Error(Errc::unavailable, "no memory is left");
        XML_SetUserData(parser_.get(), this);
        XML_SetElementHandler(
            parser_.get(),
            [](void* self, const char* element, const char** attributes) {
                of(self).take([&](auto& document) { document.begin(element, attributes); });
            },
            [](void* self, const char* element) {
                of(self).take([&](auto& document) { document.end(element); });
            });
        // Catch2 writes none, and what it declares may be small and grow.
        XML_SetStartDoctypeDeclHandler(
            parser_.get(), [](void* self, const char*, const char*, const char*, int) {
                of(self).take([](auto&) {
                    throw Error(Errc::invalid_argument, "a DOCTYPE, which is not read");
                });
            });
    }

    void read(std::string_view text) {
        const auto status =
            XML_Parse(parser_.get(), text.data(), static_cast<int>(text.size()), XML_TRUE);
        if (thrown_) std::rethrow_exception(thrown_);
        if (status == XML_STATUS_OK) return;
        throw Error(
            Errc::invalid_argument,
            fmt::format(
                "line {}, column {}: {}",
                XML_GetCurrentLineNumber(parser_.get()),
                XML_GetCurrentColumnNumber(parser_.get()) + 1,
                XML_ErrorString(XML_GetErrorCode(parser_.get()))));
    }

  private:
    static CatchParser& of(void* self) { return *static_cast<CatchParser*>(self); }

    template <class Take>
    void take(Take&& with) {
        if (thrown_) return;
        try {
            with(document_);
        } catch (...) {
            thrown_ = std::current_exception();
            XML_StopParser(parser_.get(), XML_FALSE);
        }
    }

    CatchDocument document_;
    std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser_;
    std::exception_ptr thrown_;
};

}  // namespace

void read_catch2(std::string_view text, Collector& into) {
    into.budget().step(text.size());
    into.budget().make(2 * text.size());  // what the parser may hold of one element
    CatchParser(into).read(text);
    into.budget().give_back(2 * text.size());
}

}  // namespace vigil::harness
