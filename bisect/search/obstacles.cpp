#include "bisect/search/obstacles.hpp"

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

}  // namespace

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
