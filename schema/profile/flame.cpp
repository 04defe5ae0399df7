#include "schema/profile/flame.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "schema/profile/why.hpp"
#include "schema/text/characters.hpp"
#include "schema/text/escape.hpp"
#include "schema/text/lines.hpp"
#include "schema/text/numbers.hpp"

namespace vigil::profile {

namespace {

constexpr double drawn_width = 1200;
constexpr double margin = 10;
constexpr double row_height = 17;
constexpr double letter = 6.6;       // of the font's width at 11 pixels
constexpr double least_width = 0.5;  // of what is drawn
constexpr std::size_t most_title_bytes = 150;
constexpr std::size_t most_label_bytes = 120;

/// A function below those that called it.
struct Node {
    std::string_view name;
    std::size_t depth = 0;
    std::int64_t before = 0;
    std::int64_t after = 0;
    std::int64_t gone = 0;                                ///< of stacks that only before has
    std::map<std::string_view, std::size_t> called = {};  ///< places in the tree
};

enum class Side { before, after };

/// Stacks of both sides in one tree; the first node is the root.
class Tree {
  public:
    void add(const Profile& profile, Side side) {
        for (const auto& stack : profile.stacks) {
            std::size_t at = 0;
            count(at, side, stack.cost);
            for (const auto frame : stack.frames) {
                const std::string_view name = profile.frames.at(frame);
                if (at != 0 && nodes_[at].name == name) continue;  // it calls itself
                at = below(at, name);
                count(at, side, stack.cost);
            }
        }
    }

    /// Once all are added: who calls stands before what it calls.
    void find_gone() {
        for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) {
            if (node->after == 0) node->gone = node->before;
            for (const auto& [name, place] : node->called) {
                if (node->after > 0) node->gone = sum(node->gone, nodes_[place].gone);
            }
        }
    }

    const Node& node(std::size_t at) const { return nodes_[at]; }

  private:
    void count(std::size_t at, Side side, std::int64_t cost) {
        auto& all = side == Side::before ? nodes_[at].before : nodes_[at].after;
        all = sum(all, cost);
    }

    std::size_t below(std::size_t at, std::string_view name) {
        const auto [found, is_new] = nodes_[at].called.try_emplace(name, nodes_.size());
        const auto place = found->second;
        if (is_new) {
            const auto depth = nodes_[at].depth + 1;
            nodes_.push_back({name, depth});
        }
        return place;
    }

    std::vector<Node> nodes_{Node{"all"}};
};

/// Red: more than before, blue: less, the stronger the larger a part of it is.
std::string colour_of(const Node& node) {
    const auto most = std::max({node.before, node.after, std::int64_t{1}});
    const double part = static_cast<double>(node.after - node.before) / static_cast<double>(most);
    const int pale = 235 - static_cast<int>(std::lround(130 * std::abs(part)));
    return part >= 0 ? fmt::format("#eb{0:02x}{0:02x}", pale)
                     : fmt::format("#{0:02x}{0:02x}eb", pale);
}

/// Of one panel: how wide a node is there.
using Width = std::int64_t (*)(const Node&);

class Drawing {
  public:
    Drawing(const Tree& tree, CostUnit unit, double pixels_a_cost)
        : tree_(tree), unit_(unit), scale_(pixels_a_cost) {}

    std::string take() { return std::move(svg_); }
    bool is_cut() const { return is_cut_; }

    void text(double y, const std::string& words, std::string_view weight = "normal") {
        svg_ += fmt::format(
            "<text x=\"{:g}\" y=\"{:.1f}\" font-weight=\"{}\">{}</text>\n",
            margin,
            y,
            weight,
            text::html(words));
    }

    /// @return  where the panel ends
    double panel(double top, Width width_of, std::string (*fill)(const Node&)) {
        std::size_t deepest = 0;
        struct Place {
            std::size_t at;
            double x;
        };
        std::vector<Place> open{{0, margin}};
        while (!open.empty()) {
            const auto [at, x] = open.back();
            open.pop_back();
            const Node& node = tree_.node(at);
            const double wide = scale_ * static_cast<double>(width_of(node));
            if (wide < least_width) continue;
            if (svg_.size() > max_flame_bytes - 4'000) {
                is_cut_ = true;
                break;
            }
            deepest = std::max(deepest, node.depth);
            draw(node, x, top, wide, fill(node));
            double next = x;
            for (const auto& [name, place] : node.called) {
                open.push_back({place, next});
                next += scale_ * static_cast<double>(width_of(tree_.node(place)));
            }
        }
        return top + row_height * static_cast<double>(deepest + 1);
    }

  private:
    void draw(const Node& node, double x, double top, double wide, const std::string& fill) {
        const double y = top + row_height * static_cast<double>(node.depth);
        const auto name = text::one_line(node.name, most_title_bytes);
        svg_ += fmt::format(
            "<g><title>{}: {} before, {} after</title><rect x=\"{:.1f}\" y=\"{:.1f}\" "
            "width=\"{:.1f}\" height=\"{:g}\" fill=\"{}\" stroke=\"#fff\" stroke-width=\"0.5\"/>",
            text::html(name),
            cost_text(node.before, unit_),
            cost_text(node.after, unit_),
            x,
            y,
            wide,
            row_height - 1,
            fill);
        const auto letters = static_cast<std::size_t>(std::max(0.0, wide - 6) / letter);
        if (letters >= 3) {
            svg_ += fmt::format(
                "<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>",
                x + 3,
                y + row_height - 5,
                text::html(text::fitted(name, letters)));
        }
        svg_ += "</g>\n";
    }

    const Tree& tree_;
    CostUnit unit_;
    double scale_;
    std::string svg_;
    bool is_cut_ = false;
};

std::int64_t after_of(const Node& node) {
    return node.after;
}

std::int64_t gone_of(const Node& node) {
    return node.gone;
}

std::string grey(const Node& node) {
    return node.after == 0 ? "#b8c4eb" : "#e6e6e6";
}

}  // namespace

std::string flame_svg(const Profile& before, const Profile& after, const FlameSides& sides) {
    if (before.stacks.empty() || after.stacks.empty() || before.unit != after.unit) return "";
    Tree tree;
    tree.add(before, Side::before);
    tree.add(after, Side::after);
    tree.find_gone();
    const Node& root = tree.node(0);
    const auto most = std::max({root.before, root.after, std::int64_t{1}});
    Drawing drawing(tree, after.unit, (drawn_width - 2 * margin) / static_cast<double>(most));
    const auto side = [&](const char* which, const std::string& label, std::int64_t cost) {
        return fmt::format(
            "{}: {}, {} {}",
            which,
            text::one_line(label, most_label_bytes),
            cost_text(cost, after.unit),
            after.unit == CostUnit::peak_bytes ? "at the peak" : unit_words(after.unit));
    };
    drawing.text(22, side("before", sides.before, before.total), "bold");
    drawing.text(39, side("after", sides.after, after.total), "bold");
    drawing.text(
        56, "stacks of after: red has more than before, blue less; below each, what it calls");
    double end = drawing.panel(64, after_of, colour_of);
    if (root.gone == 0) {
        drawing.text(end + 22, "before has no stack that after has not");
        end += 22;
    } else {
        drawing.text(
            end + 22, "stacks that only before has, on the same scale; grey: both have it");
        end = drawing.panel(end + 30, gone_of, grey);
    }
    if (drawing.is_cut()) drawing.text(end + 18, "the rest is left out");
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:.0f}\" width=\"{0:g}\" "
        "height=\"{1:.0f}\" font-family=\"monospace\" font-size=\"11\" fill=\"#222\">\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n{2}</svg>\n",
        drawn_width,
        end + 30,
        drawing.take());
}

}  // namespace vigil::profile
