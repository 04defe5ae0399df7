#pragma once

#include <string>

#include "schema/model/metric.hpp"
#include "service/store/database.hpp"

// Table `series`: how a series comes to be.

namespace vigil::service {

struct NewSeries {
    ProjectId project;
    std::string benchmark;
    std::string variant;
    MachineClassId machine_class;
    Metric metric = Metric::wall_time_ns;
    std::string unit;
    Direction direction = Direction::lower_is_better;
};

/// The series of what is measured, made when missing. Unit and direction of one that exists stay.
SeriesId ensure_series(Database& db, const NewSeries& series);

}  // namespace vigil::service
