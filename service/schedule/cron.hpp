#pragma once

// The config checks its schedules, so their parser lives one floor below.
#include "service/config/cron.hpp"
