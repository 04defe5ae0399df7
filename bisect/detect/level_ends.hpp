#pragma once

#include <optional>
#include <span>

#include "schema/model/ids.hpp"

// Which of the nights beside a confirmed change surely belong to one of its levels. Pure functions.

namespace vigil::detect {

/// A night of a series whose change is confirmed.
struct LaterNight {
    NightlyId id;
    double level = 0;  ///< badness
    /// What a session said of it: whether it is as bad as it was; nullopt: nothing, or undecided.
    std::optional<bool> still_bad;
    bool was_requested = false;  ///< then its level alone says nothing: it looked better
};

/// The newest night that was surely still bad: a session said so, or nobody asked and its level
/// lies far on the bad side.
/// @param nights  after the one that found the change, oldest first; the last is the one that was
///                measured as back, or is asked about
/// @param before, after  badness of the level before the change and with it
/// @param spread  of a night's level, log; 0: not known
std::optional<NightlyId> newest_bad(
    std::span<const LaterNight> nights, double before, double after, double spread);

/// The newest night that surely is at the level from before a change: it and all before it lie
/// within a quarter of the change, nobody had to ask about one of them, and a night at the new
/// level does not come there.
/// @param nights  between the build that the change was confirmed against and the night that
///                showed it, both left out, oldest first; those that were measured
/// @param before, after  badness of both levels
/// @param spread  of a night's level, log; 0: not known
std::optional<NightlyId> newest_good(
    std::span<const LaterNight> nights, double before, double after, double spread);

}  // namespace vigil::detect
