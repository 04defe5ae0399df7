#include "bisect/search/obstacles.hpp"

#include <charconv>
#include <vector>

namespace vigil::search {

namespace {

std::string commit_words(const std::vector<int>& commits) {
    std::string words;
    for (std::size_t i = 0; i < commits.size();) {
        std::size_t end = i + 1;
        while (end < commits.size() && commits[end] == commits[end - 1] + 1) ++end;
        words += (words.empty() ? "" : ", ") + std::to_string(commits[i]);
        if (end - i > 1) words += " to " + std::to_string(commits[end - 1]);
        i = end;
    }
    return (commits.size() == 1 ? "commit " : "commits ") + words;
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_letter_or_digit(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// How many bytes of `text` are a number of a commit; 0: it begins with none, or with a hash.
std::size_t number_at(std::string_view text, int& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const auto bytes = static_cast<std::size_t>(end - text.data());
    if (error != std::errc{} || !is_digit(text.front())) return 0;
    return bytes < text.size() && is_letter_or_digit(text[bytes]) ? 0 : bytes;
}

/// What stands between two numbers of one list.
std::size_t joint_at(std::string_view text) {
    for (const std::string_view joint : {" to ", ", ", " and "}) {
        const bool goes_on = text.size() > joint.size() && is_digit(text[joint.size()]);
        if (text.starts_with(joint) && goes_on) return joint.size();
    }
    return 0;
}

}  // namespace

std::string with_names(std::string_view reason, const std::vector<Revision>& line) {
    std::string out;
    const auto take = [&](std::size_t bytes) {
        out += reason.substr(0, bytes);
        reason.remove_prefix(bytes);
    };
    while (!reason.empty()) {
        const bool begins = out.empty() || !is_letter_or_digit(out.back());
        std::size_t joint = 0;
        for (const std::string_view word : {"commit ", "commits "}) {
            if (begins && reason.starts_with(word)) joint = word.size();
        }
        if (joint == 0) {
            take(1);
            continue;
        }
        int number = 0;
        for (; joint > 0; joint = joint_at(reason)) {
            const auto bytes = number_at(reason.substr(joint), number);
            take(joint);
            const auto at = static_cast<std::size_t>(number);
            if (bytes == 0 || at >= line.size()) {
                take(bytes);
                continue;
            }
            out += line[at].brief();
            reason.remove_prefix(bytes);
        }
    }
    return out;
}

std::string obstacles_before(const Availability& availability, int first, int last) {
    std::vector<int> failed;
    std::vector<int> untested;
    for (int commit = first; commit < last; ++commit) {
        if (availability.failed(commit)) failed.push_back(commit);
        if (availability.untested(commit)) untested.push_back(commit);
    }
    std::string words;
    if (!failed.empty()) words = commit_words(failed) + " cannot be built or run";
    if (!untested.empty()) {
        words += (words.empty() ? "" : "; ") + commit_words(untested) +
                 (untested.size() == 1 ? " was" : " were") + " not tried";
    }
    return words.empty() ? "none between them was measured by itself" : words;
}

}  // namespace vigil::search
