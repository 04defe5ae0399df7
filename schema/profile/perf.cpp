#include "schema/profile/perf.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "schema/model/error.hpp"
#include "schema/profile/fold.hpp"
#include "schema/profile/interpreter.hpp"
#include "schema/profile/project_file.hpp"
#include "schema/text/characters.hpp"
#include "schema/text/lines.hpp"
#include "schema/text/read_budget.hpp"

namespace vigil::profile {

namespace {

constexpr std::size_t most_symbol_bytes = 1000;
constexpr std::size_t most_fields = 8;        // of an entry
constexpr std::size_t most_frames = 500;      // of a stack; perf records 127
constexpr std::string_view nameless = "???";  // as valgrind calls what has no symbol

/// Who starts a program or a thread: a stack that reaches one of them is whole.
constexpr std::array<std::string_view, 8> starts{
    "main",
    "_start",
    "__libc_start_call_main",
    "__libc_start_main",
    "start_thread",
    "execute_native_thread_routine",
    "clone",
    "clone3"};
constexpr double enough_whole = 0.8;  // of the samples, where stacks are kept

/// A number of at most most_cost at the beginning of a text. @return nothing: there is none
std::optional<std::int64_t> count_at(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_number = error == std::errc() && value >= 0 && value <= most_cost;
    return is_number ? std::optional(value) : std::nullopt;
}

std::vector<std::string_view> fields_of_line(std::string_view line, std::size_t most) {
    std::vector<std::string_view> fields;
    while (fields.size() < most) {
        const auto at = line.find(perf_separator);
        fields.push_back(text::trimmed(line.substr(0, at)));
        if (at == line.npos) break;
        line.remove_prefix(at + 1);
    }
    return fields;
}

/// "0x1803   d [.] sort(int*)": what stands behind the address and the level.
std::string_view symbol_of(std::string_view field) {
    const auto at = field.find("] ");
    return at == field.npos ? field : field.substr(at + 2);
}

/// An address stands where a function has no name.
std::string name_of(std::string_view symbol) {
    const bool is_address = symbol.empty() || symbol.starts_with("0x") || symbol == "[unknown]";
    return is_address ? std::string(nameless)
                      : plain_name(text::one_line(symbol, most_symbol_bytes));
}

class PerfReader {
  public:
    PerfReader(const std::string& own, const std::string& source, text::ReadBudget& budget)
        : own_(own), source_(source), budget_(budget) {}

    void read_objects(std::string_view text) {
        for_each_line(text, [&](std::string_view line) {
            const auto fields = fields_of_line(line, most_fields);
            if (line.front() == '#' || fields.size() < 3) return;
            const auto place = place_of(name_of(symbol_of(fields.back())));
            const bool below = is_below(fields[1], own_);
            has_own_ = has_own_ || below;
            names_[place].is_below = names_[place].is_below || below;
        });
    }

    void read_stacks(std::string_view text) {
        for_each_line(text, [&](std::string_view line) {
            if (line.front() == ' ') return begin_entry(line);
            if (line.front() >= '0' && line.front() <= '9') read_stack(line);
        });
        end_entry();
    }

    Profile take() {
        if (out_.total <= 0) {
            throw Error(
                Errc::invalid_argument,
                "perf took no sample: the program ran for less than some milliseconds");
        }
        find_interpreter();
        for (const auto& [stack, entry, count] : stacks_) add(stack, entries_[entry], count);
        for (auto& [key, one] : functions_) finish(key, one);
        keep_largest(out_.functions);
        fold_whole_stacks();
        return std::move(out_);
    }

  private:
    using Places = std::vector<std::uint32_t>;  // in names_, the outermost first

    struct Name {
        std::string text;
        bool is_start = false;     ///< of a program or a thread
        bool is_standard = false;  ///< of the standard library, wherever it was compiled
        bool is_below = false;     ///< of an object of the product
        std::map<std::string, std::int64_t> files = {};
    };
    /// A function of one object and file, with all samples in it.
    struct Entry {
        std::int64_t left = 0;  ///< that no stack has told
        std::string object;
        std::string file;
        std::uint32_t name = 0;
    };
    struct Sampled {
        Places stack;
        std::size_t entry = 0;
        std::int64_t count = 0;
    };
    using Key = std::tuple<std::uint32_t, std::string, bool>;  // name, file of a library, own
    struct Gathered {
        std::int64_t cost = 0;
        std::map<std::string, std::int64_t> libraries;
        std::map<std::string, std::int64_t> callers;
    };

    template <class Take>
    void for_each_line(std::string_view text, const Take& take) {
        while (!text.empty()) {
            const auto line = text.substr(0, text.find('\n'));
            text.remove_prefix(std::min(line.size() + 1, text.size()));
            budget_.step(line.size() + 1);
            if (!line.empty()) take(line);
        }
    }

    std::uint32_t place_of(std::string name) {
        const auto next = static_cast<std::uint32_t>(names_.size());
        const auto [found, is_new] = places_.try_emplace(std::move(name), next);
        if (is_new) {
            budget_.row();
            // Names stand in lists of libraries, callers and stacks too.
            budget_.make(sizeof(Name) + 4 * text::tree_bytes + 5 * found->first.size());
            const bool is_start = std::ranges::count(starts, bare_name(found->first)) > 0;
            names_.push_back({found->first, is_start, is_of_standard_library(found->first)});
        }
        return found->second;
    }

    void begin_entry(std::string_view line) {
        end_entry();
        const auto fields = fields_of_line(line, most_fields);
        if (fields.size() < 3) return;
        Entry entry;
        entry.left = count_at(fields[0]).value_or(0);
        entry.object = text::one_line(fields[1], most_symbol_bytes);
        if (fields.size() > 3) entry.file = text::one_line(fields[2], most_symbol_bytes);
        entry.name = place_of(name_of(symbol_of(fields.back())));
        budget_.row();
        budget_.make(2 * sizeof(Entry) + 3 * (entry.object.size() + entry.file.size()));
        out_.total = sum(out_.total, entry.left);
        auto& cost = names_[entry.name].files[project_file(entry.file, own_, source_)];
        cost = sum(cost, entry.left);
        const bool is_nameless = names_[entry.name].text == nameless;
        if (is_nameless && is_below(entry.object, own_))
            out_.unnamed = sum(out_.unnamed, entry.left);
        entries_.push_back(std::move(entry));
    }

    void read_stack(std::string_view line) {
        const auto count = count_at(line);
        const auto at = line.find(' ');
        if (!count || at == line.npos || entries_.empty()) return;
        Sampled one{{}, entries_.size() - 1, std::min(*count, entries_.back().left)};
        if (one.count == 0) return;
        for (const auto& field : fields_of_line(line.substr(at + 1), most_frames)) {
            one.stack.push_back(place_of(name_of(field)));
        }
        one.stack.back() = entries_.back().name;
        entries_.back().left -= one.count;
        keep(std::move(one));
    }

    /// What has no stack was interrupted where none can be read.
    void end_entry() {
        if (entries_.empty() || entries_.back().left == 0) return;
        keep({{entries_.back().name}, entries_.size() - 1, entries_.back().left});
        entries_.back().left = 0;
    }

    void keep(Sampled one) {
        budget_.row();
        budget_.make(2 * sizeof(Sampled) + 2 * sizeof(std::uint32_t) * one.stack.size());
        stacks_.push_back(std::move(one));
    }

    /// Where no object is the program's, all of them count as its own.
    bool is_own(std::uint32_t place) const {
        const auto& name = names_[place];
        if (name.text == nameless) return false;
        return (name.is_below || !has_own_) && !name.is_standard;
    }

    void add(const Places& stack, const Entry& entry, std::int64_t count) {
        const auto last = stack.size() - 1;
        auto at = last;
        while (at > 0 && !is_own(stack[at])) --at;
        const bool own = is_own(stack[at]);
        if (!own) at = last;
        const auto& where = entry.file.empty() ? entry.object : entry.file;
        auto& into = functions_[{stack[at], own ? "" : project_file(where, own_, source_), own}];
        into.cost = sum(into.cost, count);
        if (!own) return;
        const auto note = [&](std::map<std::string, std::int64_t>& in, std::uint32_t place) {
            auto& cost = in[names_[place].text];
            cost = sum(cost, count);
        };
        if (at < last) note(into.libraries, stack[at + 1]);
        for (auto caller = at; caller > 0; --caller) {
            if (stack[caller - 1] == stack[at] || !is_own(stack[caller - 1])) continue;
            return note(into.callers, stack[caller - 1]);
        }
    }

    /// A file of the program's rather than a header of somebody else's.
    void choose_file(const std::map<std::string, std::int64_t>& files, Function& function) const {
        auto all = largest(files, files.size());
        std::erase_if(all, [](const NamedCost& one) { return one.name.empty(); });
        const auto ours = std::ranges::find_if(
            all, [](const NamedCost& one) { return !one.name.starts_with('/'); });
        const auto chosen = ours == all.end() ? all.begin() : ours;
        if (chosen == all.end()) return;
        function.file = chosen->name;
        all.erase(chosen);
        if (all.size() > most_libraries) all.resize(most_libraries);
        function.inlined = std::move(all);
    }

    void finish(const Key& key, const Gathered& one) {
        const auto& [name, file, own] = key;
        Function function;
        function.name = names_[name].text;
        function.file = file;
        function.cost = one.cost;
        function.is_own = own;
        if (own) choose_file(names_[name].files, function);
        function.libraries = largest(one.libraries, most_libraries);
        for (auto& caller : largest(one.callers, most_callers)) {
            function.called_by.push_back(std::move(caller.name));
        }
        out_.functions.push_back(std::move(function));
    }

    void find_interpreter() {
        std::map<std::string, std::int64_t> of;
        std::int64_t all = 0;
        for (const auto& [stack, entry, count] : stacks_) {
            const auto name = interpreter_of(entries_[entry].object);
            if (!name.empty()) of[name] = sum(of[name], count);
            if (!name.empty() || !entries_[entry].object.starts_with('/')) all = sum(all, count);
        }
        const auto most = largest(of, 1);
        if (!most.empty() && all > out_.total / 2) out_.interpreter = most.front().name;
    }

    /// From where a program or a thread starts; nothing where a stack does not reach that.
    std::optional<Places> whole_stack(const Places& stack) const {
        const auto start = std::ranges::find_if(
            stack, [&](std::uint32_t place) { return names_[place].is_start; });
        if (start == stack.end()) return std::nullopt;
        Places whole;
        for (auto at = start; at != stack.end() && whole.size() < max_stack_frames; ++at) {
            if (names_[*at].text != nameless) whole.push_back(*at);
        }
        return whole;
    }

    void fold_whole_stacks() {
        std::map<Places, std::int64_t> all;
        std::int64_t whole_samples = 0;
        for (const auto& one : stacks_) {
            auto whole = whole_stack(one.stack);
            if (!whole) continue;
            auto& cost = all[std::move(*whole)];
            cost = sum(cost, one.count);
            whole_samples = sum(whole_samples, one.count);
        }
        const double enough = enough_whole * static_cast<double>(out_.total);
        if (static_cast<double>(whole_samples) < enough) return;
        std::vector<std::string> names;
        for (const auto& one : names_) names.push_back(short_name(one.text));
        keep_largest_stacks(out_, all, names);
    }

    const std::string& own_;
    const std::string& source_;
    text::ReadBudget& budget_;
    std::map<std::string, std::uint32_t> places_;
    std::vector<Name> names_;
    std::vector<Entry> entries_;
    std::vector<Sampled> stacks_;
    std::map<Key, Gathered> functions_;
    bool has_own_ = false;
    Profile out_;
};

}  // namespace

Profile read_perf(const PerfTexts& texts, const std::string& own, const std::string& source) {
    text::ReadBudget budget(texts.stacks.size() + texts.objects.size());
    PerfReader reader(own, source, budget);
    reader.read_objects(texts.objects);
    reader.read_stacks(texts.stacks);
    auto profile = reader.take();
    profile.unit = CostUnit::samples;
    return profile;
}

}  // namespace vigil::profile
