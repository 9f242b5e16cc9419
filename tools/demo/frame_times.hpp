// Times of frames: what most of them take, and the worst; and a picture of them.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace demo {

/// Since it was made.
class Stopwatch {
 public:
  [[nodiscard]] double ms() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin_)
        .count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

struct FrameSummary {
  double median_ms = 0;
  double percentile_99_ms = 0;
  double longest_ms = 0;
};
/// All zero for no frames.
[[nodiscard]] FrameSummary summary_of(std::vector<double> frames_ms);

/// Frames of one run, in order.
struct FrameSeries {
  std::string name;
  std::vector<double> frames_ms;
};
/// A picture of two runs of one game, one above the other on one scale, as a page of SVG. `marks`
/// are frames at which the second run did something that the caption names.
[[nodiscard]] std::string frame_plot(const std::string& title, const FrameSeries& first,
                                     const FrameSeries& second,
                                     const std::vector<std::size_t>& marks,
                                     const std::string& caption);

}  // namespace demo
