#include "schema/profile/dhat.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "schema/profile/fold.hpp"
#include "schema/profile/project_file.hpp"
#include "schema/text/lines.hpp"
#include "schema/text/read_budget.hpp"
#include "schema/wire/json.hpp"

namespace vigil::profile {

namespace {

using nlohmann::json;

constexpr std::size_t most_frame_bytes = 1000;
constexpr std::string_view no_symbol = "???";  // valgrind's, of what has no symbol

/// One level of a stack: a function, or one that is inlined into the next.
struct Frame {
    std::string name;        ///< demangled, with its parameters
    std::string short_name;  ///< without, see short_name
    std::string file;        ///< empty: not known
    std::string object;      ///< empty: its file is known
    bool is_own = false;     ///< of the program
    bool is_allocator = false;
};

/// "0x1091FF: copy(char const*) (/src/a.cpp:6)", "0x49077B9: ??? (in /usr/lib/libx.so)".
Frame parse_frame(std::string_view text) {
    Frame frame;
    if (const auto at = text.find(": "); text.starts_with("0x") && at != text.npos) {
        text.remove_prefix(at + 2);
    }
    const auto at = text.ends_with(')') ? text.rfind(" (") : text.npos;
    if (at != text.npos && at > 0) {
        auto where = text.substr(at + 2, text.size() - at - 3);
        if (where.starts_with("in ")) {
            frame.object = text::one_line(where.substr(3), most_frame_bytes);
        } else {
            frame.file = text::one_line(where.substr(0, where.rfind(':')), most_frame_bytes);
        }
        text = text.substr(0, at);
    }
    frame.name = plain_name(text::one_line(text, most_frame_bytes));
    frame.short_name = short_name(frame.name);
    return frame;
}

/// malloc and new themselves: dhat puts its own in their place.
bool is_of_valgrind(const Frame& frame) {
    return frame.object.find("/vgpreload_") != frame.object.npos;
}

/// Of a container, an allocator or a language's own library, wherever it was compiled.
bool is_standard(const Frame& frame) {
    std::string_view name = frame.name;
    const auto scope = name.find("::");
    if (scope != name.npos) {  // "void std::vector<int>::push_back(int)"
        const auto begins = name.rfind(' ', scope);
        if (begins != name.npos && begins < name.find('<')) name.remove_prefix(begins + 1);
    }
    for (const char* scope_of :
         {"std::", "__gnu_cxx::", "alloc::", "core::", "hashbrown::", "operator new", "__rust_"}) {
        if (name.starts_with(scope_of)) return true;
    }
    return is_of_valgrind(frame);
}

/// Little more than malloc by its name: "xmalloc", "g_malloc0", "alloc_cpu", but not
/// "allocate_cache". It gives what others ask for.
bool is_allocator(std::string_view name) {
    constexpr std::size_t most_more = 5;
    for (const std::string_view word :
         {"reallocate", "allocate", "memalign", "realloc", "calloc", "malloc", "strdup", "alloc"}) {
        if (name.find(word) != name.npos) return name.size() <= word.size() + most_more;
    }
    return false;
}

/// Of what the system brings: headers, libraries, and the sources of Debian's own builds.
bool is_of_system(const Frame& frame) {
    const auto& where = frame.file.empty() ? frame.object : frame.file;
    for (const char* folder : {"/usr/", "/lib", "/build/", "/opt/"}) {
        if (where.starts_with(folder)) return true;
    }
    return !where.starts_with('/');  // "elf/./elf/dl-init.c"
}

class DhatReader {
  public:
    DhatReader(const std::string& own, const std::string& source, text::ReadBudget& budget)
        : own_(own), source_(source), budget_(budget) {}

    void read(const std::string& text) {
        wire::JsonLimits limits;
        limits.max_bytes = text.size();
        limits.max_values = text.size();  // the budget bounds them
        limits.budget = &budget_;
        text::BudgetLoan loan(budget_);
        json value;
        try {
            value = wire::parse_json(text, "what dhat wrote", limits);
        } catch (const text::BudgetError&) {
            throw;
        } catch (const Error&) {
            return;  // of a process that was killed while it wrote
        }
        loan.end();  // what comes now stays
        const auto places = read_frames(value);
        if (const auto points = value.find("pps"); points != value.end() && points->is_array()) {
            for (const auto& point : *points) read_point(point, places);
        }
    }

    Profile take() {
        judge_frames();
        for (const auto& point : points_) add(point);
        for (auto& [key, gathered] : functions_) finish(key, gathered);
        if (out_.total <= 0) {
            throw Error(Errc::invalid_argument, "dhat saw no memory that malloc or new gave");
        }
        keep_largest(out_.functions);
        take_stacks();
        return std::move(out_);
    }

  private:
    /// A place of the program that asked for memory: places in frames_, the innermost first.
    struct Point {
        std::int64_t bytes = 0;
        std::int64_t blocks = 0;
        std::vector<std::uint32_t> stack = {};
    };

    using Key = std::tuple<std::string, std::string, bool>;  // short name, file, own

    struct Gathered {
        std::int64_t cost = 0;
        std::int64_t calls = 0;
        std::string name;  ///< the longest of those that it has: inlined, it has no scope
        std::map<std::string, std::int64_t> libraries;
        std::map<std::string, std::int64_t> callers;
    };

    static std::int64_t number_of(const json& point, const char* key) {
        const auto found = point.find(key);
        if (found == point.end() || !found->is_number_integer()) return 0;
        return std::clamp(found->get<std::int64_t>(), std::int64_t{0}, most_cost);
    }

    /// Places in frames_ of the frames of one text.
    std::vector<std::uint32_t> read_frames(const json& value) {
        std::vector<std::uint32_t> places;
        if (!value.is_object()) return places;
        const auto mode = value.find("mode");
        const auto table = value.find("ftbl");
        const bool is_dhat = mode != value.end() && *mode == "heap" && table != value.end();
        if (!is_dhat || !table->is_array()) return places;
        for (const auto& one : *table) {
            auto frame = parse_frame(one.is_string() ? one.get_ref<const std::string&>() : "");
            budget_.row();
            // Names stand in lists of functions, of libraries and of callers too.
            budget_.make(
                2 * sizeof(Frame) + 4 * text::tree_bytes + 4 * frame.name.size() +
                2 * frame.file.size());
            places.push_back(static_cast<std::uint32_t>(frames_.size()));
            frames_.push_back(std::move(frame));
        }
        return places;
    }

    void read_point(const json& value, const std::vector<std::uint32_t>& places) {
        if (!value.is_object()) return;
        out_.allocated = sum(out_.allocated, number_of(value, "tb"));
        Point point{number_of(value, "gb"), number_of(value, "gbk")};
        const auto stack = value.find("fs");
        if (point.bytes == 0 || stack == value.end() || !stack->is_array()) return;
        for (const auto& place : *stack) {
            if (!place.is_number_integer()) continue;
            const auto at = place.get<std::int64_t>();
            if (at < 0 || at >= static_cast<std::int64_t>(places.size())) continue;
            point.stack.push_back(places[static_cast<std::size_t>(at)]);
        }
        budget_.row();
        budget_.step(point.stack.size());
        budget_.make(2 * sizeof(Point) + 3 * sizeof(std::uint32_t) * point.stack.size());
        points_.push_back(std::move(point));
    }

    bool is_ours(const Frame& frame) const {
        const auto& where = frame.file.empty() ? frame.object : frame.file;
        return is_below(where, own_) || is_below(where, source_);
    }

    void judge_frames() {
        const bool some_is_ours =
            std::ranges::any_of(frames_, [&](const Frame& one) { return is_ours(one); });
        for (Frame& frame : frames_) {
            const bool ours = some_is_ours ? is_ours(frame) : !is_of_system(frame);
            frame.is_own = ours && (!frame.file.empty() || !is_standard(frame));
            frame.is_allocator = is_allocator(frame.short_name);
        }
    }

    const Frame& frame_at(const Point& point, std::size_t at) const {
        return frames_[point.stack[at]];
    }

    /// Where in a stack the function stands that asked: the innermost of the program that is no
    /// allocator. Where it is nothing but one, the innermost of the program.
    std::optional<std::size_t> asking(const Point& point) const {
        std::optional<std::size_t> first;
        for (std::size_t i = 0; i < point.stack.size(); ++i) {
            const Frame& frame = frame_at(point, i);
            if (!frame.is_own) continue;
            if (!frame.is_allocator) return i;
            if (!first) first = i;
        }
        return first;
    }

    /// In a stack of libraries alone: the innermost that is no container.
    std::size_t asking_library(const Point& point) const {
        std::size_t at = 0;
        while (at + 1 < point.stack.size() && is_standard(frame_at(point, at))) ++at;
        return at;
    }

    void add(const Point& point) {
        out_.total = sum(out_.total, point.bytes);
        if (point.stack.empty()) return;
        const auto own = asking(point);
        const std::size_t at = own ? *own : asking_library(point);
        const Frame& frame = frame_at(point, at);
        if (own && (frame.name == no_symbol || frame.name.empty())) {
            out_.unnamed = sum(out_.unnamed, point.bytes);
        }
        auto& gathered = functions_[{
            frame.short_name, project_file(frame.file, own_, source_), own.has_value()}];
        gathered.cost = sum(gathered.cost, point.bytes);
        gathered.calls = sum(gathered.calls, point.blocks);
        if (auto name = bare_name(frame.name); name.size() > gathered.name.size()) {
            gathered.name = std::move(name);
        }
        if (!own) return;
        if (at > 0 && !is_of_valgrind(frame_at(point, at - 1))) {
            auto& cost = gathered.libraries[bare_name(frame_at(point, at - 1).name)];
            cost = sum(cost, point.bytes);
        }
        for (auto i = at + 1; i < point.stack.size(); ++i) {
            const Frame& caller = frame_at(point, i);
            if (!caller.is_own || caller.short_name == frame.short_name) continue;
            auto& cost = gathered.callers[caller.short_name];
            cost = sum(cost, point.bytes);
            return;
        }
    }

    void finish(const Key& key, const Gathered& one) {
        Function function;
        function.name = one.name;
        function.file = std::get<1>(key);
        function.cost = one.cost;
        function.calls = one.calls;
        function.is_own = std::get<2>(key);
        function.libraries = largest(one.libraries, most_libraries);
        for (auto& caller : largest(one.callers, most_callers)) {
            function.called_by.push_back(std::move(caller.name));
        }
        out_.functions.push_back(std::move(function));
    }

    void take_stacks() {
        std::map<std::string_view, std::uint32_t> known;
        std::vector<std::uint32_t> name_of;  // of frames_
        std::vector<std::string> names;
        for (const auto& frame : frames_) {
            const auto next = static_cast<std::uint32_t>(names.size());
            const auto [found, is_new] = known.try_emplace(frame.short_name, next);
            if (is_new) names.push_back(frame.short_name);
            name_of.push_back(found->second);
        }
        std::map<std::vector<std::uint32_t>, std::int64_t> all;
        for (const auto& point : points_) {
            std::vector<std::uint32_t> stack;
            for (auto at = point.stack.rbegin(); at != point.stack.rend(); ++at) {
                if (stack.size() == max_stack_frames) break;
                if (!is_of_valgrind(frames_[*at])) stack.push_back(name_of[*at]);
            }
            auto& cost = all[std::move(stack)];
            cost = sum(cost, point.bytes);
        }
        keep_largest_stacks(out_, all, names);
    }

    const std::string& own_;
    const std::string& source_;
    text::ReadBudget& budget_;
    std::vector<Frame> frames_;
    std::vector<Point> points_;
    std::map<Key, Gathered> functions_;
    Profile out_;
};

}  // namespace

Profile read_dhat(
    const std::vector<std::string>& texts, const std::string& own, const std::string& source) {
    std::size_t bytes = 0;
    for (const auto& text : texts) bytes += text.size();
    text::ReadBudget budget(bytes);
    DhatReader reader(own, source, budget);
    for (const auto& text : texts) reader.read(text);
    auto profile = reader.take();
    profile.unit = CostUnit::peak_bytes;
    return profile;
}

}  // namespace vigil::profile
