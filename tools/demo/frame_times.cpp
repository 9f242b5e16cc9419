// Sorting frame times, and drawing them.
#include "frame_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace demo {
namespace {

// Of the picture, in its own units.
constexpr double kWidth = 960;
constexpr double kLeft = 64;
constexpr double kRight = 24;
constexpr double kPlotHeight = 170;
constexpr double kTop = 62;
constexpr double kGap = 58;
constexpr double kHeight = kTop + 2 * kPlotHeight + kGap + 62;

// The least of 1, 2 or 5 times a power of ten that is not below `value`.
double round_up(double value) {
  const double power = std::pow(10, std::floor(std::log10(std::max(value, 1e-3))));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (value <= step * power) return step * power;
  }
  return 10 * power;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string facts_of(const FrameSeries& series) {
  const FrameSummary facts = summary_of(series.frames_ms);
  return fmt::format("{}: median {:.2f} ms, 99 % {:.2f} ms, longest {:.2f} ms", series.name,
                     facts.median_ms, facts.percentile_99_ms, facts.longest_ms);
}

class Plot {
 public:
  Plot(double most_ms, std::size_t frames) : most_ms_(most_ms), frames_(frames) {}

  void add(const FrameSeries& series, double top, const std::vector<std::size_t>& marks,
           const char* style) {
    auto out = std::back_inserter(text_);
    fmt::format_to(out, "<text class=\"name\" x=\"{}\" y=\"{}\">{}</text>\n", kLeft, top - 10,
                   escaped(facts_of(series)));
    const double bottom = top + kPlotHeight;
    for (int line = 0; line <= 4; ++line) {
      const double ms = most_ms_ * line / 4;
      fmt::format_to(out,
                     "<path class=\"grid\" d=\"M{} {:.1f}H{}\"/><text class=\"axis\" "
                     "text-anchor=\"end\" x=\"{}\" y=\"{:.1f}\">{:g}</text>\n",
                     kLeft, y_of(ms, bottom), kWidth - kRight, kLeft - 8, y_of(ms, bottom) + 4, ms);
    }
    for (const std::size_t mark : marks) {
      fmt::format_to(out, "<path class=\"mark\" d=\"M{:.1f} {}V{}\"/>\n", x_of(mark), top, bottom);
    }
    const double width = std::clamp(0.7 * (x_of(1) - x_of(0)), 1.2, 12.0);
    fmt::format_to(out, "<path class=\"{}\" stroke-width=\"{:.1f}\" d=\"", style, width);
    for (std::size_t i = 0; i < series.frames_ms.size(); ++i) {
      fmt::format_to(out, "M{:.1f} {}V{:.1f}", x_of(i), bottom, y_of(series.frames_ms[i], bottom));
    }
    text_ += "\"/>\n";
    for (std::size_t i = 0; i <= frames_; i += std::max<std::size_t>(frames_ / 6, 1)) {
      fmt::format_to(
          out, "<text class=\"axis\" text-anchor=\"middle\" x=\"{:.1f}\" y=\"{}\">{}</text>\n",
          x_of(i), bottom + 18, i);
    }
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  [[nodiscard]] double x_of(std::size_t frame) const {
    return kLeft + (kWidth - kLeft - kRight) * static_cast<double>(frame) /
                       static_cast<double>(std::max<std::size_t>(frames_, 1));
  }
  [[nodiscard]] double y_of(double ms, double bottom) const {
    return bottom - kPlotHeight * std::min(ms / most_ms_, 1.0);
  }

  double most_ms_;
  std::size_t frames_;
  std::string text_;
};

}  // namespace

FrameSummary summary_of(std::vector<double> frames_ms) {
  if (frames_ms.empty()) return {};
  std::sort(frames_ms.begin(), frames_ms.end());
  const std::size_t last = frames_ms.size() - 1;
  return {frames_ms[frames_ms.size() / 2], frames_ms[last - frames_ms.size() / 100],
          frames_ms[last]};
}

std::string frame_plot(const std::string& title, const FrameSeries& first,
                       const FrameSeries& second, const std::vector<std::size_t>& marks,
                       const std::string& caption) {
  const double most =
      std::max(summary_of(first.frames_ms).longest_ms, summary_of(second.frames_ms).longest_ms);
  Plot plot(round_up(most), std::max(first.frames_ms.size(), second.frames_ms.size()));
  plot.add(first, kTop, {}, "first");
  plot.add(second, kTop + kPlotHeight + kGap, marks, "second");
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" role=\"img\" "
      "aria-label=\"{2}\">\n"
      "<style>\n"
      "svg {{ background: #fff; font: 13px sans-serif }}\n"
      "text {{ fill: #222 }} .title {{ font-size: 17px; font-weight: bold }}\n"
      ".axis, .caption {{ fill: #666; font-size: 12px }}\n"
      "path {{ fill: none }} .grid {{ stroke: #ddd }}\n"
      ".first {{ stroke: #3b6ea5 }} .second {{ stroke: #2e8b57 }}\n"
      ".mark {{ stroke: #d9822b; stroke-dasharray: 3 3 }}\n"
      "@media (prefers-color-scheme: dark) {{\n"
      "svg {{ background: #16181c }} text {{ fill: #e6e6e6 }} .axis, .caption {{ fill: #9aa0a6 }}\n"
      ".grid {{ stroke: #33373d }} .first {{ stroke: #7fb0e6 }} .second {{ stroke: #6fd39b }}\n"
      "}}\n"
      "</style>\n"
      "<text class=\"title\" x=\"{3}\" y=\"26\">{2}</text>\n{4}<text class=\"caption\" x=\"{3}\" "
      "y=\"{5}\">{6}</text>\n</svg>\n",
      kWidth, kHeight, escaped(title), kLeft, plot.text(), kHeight - 14, escaped(caption));
}

}  // namespace demo
