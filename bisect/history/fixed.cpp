#include "bisect/history/fixed.hpp"

#include <algorithm>

namespace vigil::history {

namespace {

enum class Effect { none, out, in };

Effect opposite(Effect effect) {
    switch (effect) {
        case Effect::out: return Effect::in;
        case Effect::in: return Effect::out;
        case Effect::none: break;
    }
    return Effect::none;
}

bool means(const std::string& hash, const Revision& revision) {
    return revision.str().starts_with(hash);
}

class RangeTexts {
  public:
    explicit RangeTexts(const FixQuestion& question) : question_(question) {
        for (const auto& commit : question.commits) {
            subjects_.push_back(read_subject(commit.subject));
        }
    }

    /// The commit that took the target out, when it is out at the end of the range.
    std::optional<std::size_t> out_by(const RevertTarget& target) const {
        std::vector<Effect> effects(question_.commits.size(), Effect::none);
        std::optional<std::size_t> by;
        for (std::size_t i = 0; i < effects.size(); ++i) {
            effects[i] = effect_of(i, target, effects);
            if (effects[i] == Effect::in) by.reset();
            if (effects[i] == Effect::out && !by) by = i;
        }
        return by;
    }

    bool is_undone(std::size_t commit) const {
        const auto& one = question_.commits[commit];
        return out_by({{one.revision}, {one.subject}}).has_value();
    }

  private:
    bool is_target(const std::string& hash, const RevertTarget& target) const {
        return std::any_of(target.revisions.begin(), target.revisions.end(), [&](const auto& one) {
            return means(hash, one);
        });
    }

    /// Of all that is known: the targets and the range.
    bool is_unique(const std::string& hash) const {
        std::vector<Revision> meant;
        const auto add = [&](const Revision& revision) {
            if (means(hash, revision)) meant.push_back(revision);
        };
        for (const auto& target : question_.targets) {
            for (const auto& revision : target.revisions) add(revision);
        }
        for (const auto& commit : question_.commits) add(commit.revision);
        std::sort(meant.begin(), meant.end());
        return std::unique(meant.begin(), meant.end()) - meant.begin() == 1;
    }

    Effect effect_of_hash(
        const std::string& hash,
        std::size_t commit,
        const RevertTarget& target,
        const std::vector<Effect>& effects) const {
        if (!is_unique(hash)) return Effect::none;
        if (is_target(hash, target)) return Effect::out;
        for (std::size_t i = 0; i < commit; ++i) {
            if (means(hash, question_.commits[i].revision)) return opposite(effects[i]);
        }
        return Effect::none;
    }

    /// A subject means the target only where no other commit of the range has it before.
    Effect effect_of_subject(
        const SubjectClaim& claim, std::size_t commit, const RevertTarget& target) const {
        std::optional<bool> out;
        for (const auto& subject : target.subjects) {
            if (!out) out = takes_out(claim, subject);
        }
        if (!out) return Effect::none;
        for (std::size_t i = 0; i < commit; ++i) {
            const auto& other = question_.commits[i];
            const auto& own = target.revisions;
            if (std::find(own.begin(), own.end(), other.revision) != own.end()) continue;
            if (is_about(claim, other.subject)) return Effect::none;
        }
        return *out ? Effect::out : Effect::in;
    }

    Effect effect_of(
        std::size_t commit, const RevertTarget& target, const std::vector<Effect>& effects) const {
        const auto& one = question_.commits[commit];
        for (const auto& hash : one.claims.reverts) {
            const auto effect = effect_of_hash(hash, commit, target, effects);
            if (effect != Effect::none) return effect;
        }
        const auto& claim = subjects_[commit];
        if (!claim || !one.claims.reverts.empty()) return Effect::none;
        return effect_of_subject(*claim, commit, target);
    }

    const FixQuestion& question_;
    std::vector<std::optional<SubjectClaim>> subjects_;
};

bool is_same(const IssueName& name, const FiledIssue& issue) {
    if (name.number != issue.number) return false;
    if (name.place.empty()) return issue.own;
    return name.place == issue.place || issue.place.ends_with("/" + name.place);
}

bool says_fixed(const ClaimingCommit& commit, const std::vector<FiledIssue>& issues) {
    return std::any_of(issues.begin(), issues.end(), [&](const FiledIssue& issue) {
        const auto& fixes = commit.claims.fixes;
        return std::any_of(
            fixes.begin(), fixes.end(), [&](const auto& name) { return is_same(name, issue); });
    });
}

}  // namespace

FixWord find_fix(const FixQuestion& question) {
    const RangeTexts texts(question);
    FixWord word;
    word.only = question.line_commits == 1 && !question.rewritten;
    for (std::size_t i = 0; i < question.targets.size(); ++i) {
        word.commit = texts.out_by(question.targets[i]);
        if (!word.commit) continue;
        word.by = FixedBy::revert;
        word.target = i;
        return word;
    }
    std::size_t fixes = 0;
    for (std::size_t i = 0; i < question.commits.size(); ++i) {
        if (!says_fixed(question.commits[i], question.issues) || texts.is_undone(i)) continue;
        word.commit = i;
        ++fixes;
    }
    if (fixes > 0) {
        word.by = FixedBy::fix;
        word.others = fixes - 1;
        return word;
    }
    if (!word.only) return word;
    for (std::size_t i = 0; i < question.commits.size(); ++i) {
        if (question.commits[i].merge.empty()) word.commit = i;
    }
    if (word.commit) word.by = FixedBy::only;
    return word;
}

}  // namespace vigil::history
