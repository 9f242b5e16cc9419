// What refused_types.cpp includes, compiled once for all of its tests.
#pragma once

#include <any>
#include <cereal/types/polymorphic.hpp>
#include <chrono>
#include <complex>
#include <filesystem>
#include <mutex>
#include <random>

#include "hdb/hdb.hpp"
