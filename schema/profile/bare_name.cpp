#include "schema/profile/profile.hpp"

namespace vigil::profile {

namespace {

constexpr std::string_view anonymous = "(anonymous namespace)::";
constexpr std::string_view of_operator = "operator";

bool is_of_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// Reads a name from left to right, each byte once.
class NameReader {
  public:
    explicit NameReader(std::string_view name) : name_(name) {}

    std::string read() {
        while (at_ < name_.size() && step()) {
        }
        if (bare_.starts_with("::")) bare_.erase(0, 2);
        return bare_.empty() ? std::string(name_) : bare_;
    }

  private:
    std::string_view rest() const { return name_.substr(at_); }

    /// Behind the bracket that closes the one here.
    void skip_group(char open, char close) {
        int depth = 0;
        while (at_ < name_.size()) {
            const char c = name_[at_];
            const bool is_arrow = at_ > 0 && name_[at_ - 1] == '-';  // "->"
            ++at_;
            if (c == open) ++depth;
            if (c == close && !is_arrow && --depth == 0) return;
        }
    }

    bool is_operator() const {
        const auto left = rest();
        const bool begins = bare_.empty() || !is_of_word(bare_.back());
        return begins && left.starts_with(of_operator) && left.size() > of_operator.size() &&
               !is_of_word(left[of_operator.size()]);
    }

    /// "operator<<", "operator()", "operator new[]": all up to its parameters.
    void take_operator() {
        bare_ += of_operator;
        at_ += of_operator.size();
        if (rest().starts_with("()")) {
            bare_ += "()";
            return;
        }
        auto symbol = rest().substr(0, rest().find('('));
        symbol = symbol.substr(0, symbol.find(" <"));  // of a template
        bare_ += symbol;
        while (bare_.ends_with(' ')) bare_.pop_back();
    }

    /// @return  whether the name goes on
    bool step() {
        if (is_operator()) {
            take_operator();
            return false;
        }
        switch (name_[at_]) {
            case '<': skip_group('<', '>'); return true;
            case '{':
                skip_group('{', '}');
                bare_ += "{lambda}";
                return true;
            case ' ':  // what stands before is what it returns
                bare_.clear();
                ++at_;
                return true;
            case '(':
                if (rest().starts_with(anonymous)) {
                    at_ += anonymous.size();
                    return true;
                }
                skip_group('(', ')');
                if (rest().starts_with(" const::")) at_ += std::string_view(" const").size();
                return rest().starts_with("::") && !bare_.empty();  // something local to it
            default: bare_ += name_[at_++]; return true;
        }
    }

    std::string_view name_;
    std::size_t at_ = 0;
    std::string bare_;
};

}  // namespace

std::string bare_name(std::string_view name) {
    return NameReader(name).read();
}

std::string short_name(std::string_view name) {
    auto bare = bare_name(name);
    const auto at = bare.rfind("::");
    return at == bare.npos || at + 2 == bare.size() ? bare : bare.substr(at + 2);
}

}  // namespace vigil::profile
