// Draws values over time: a line for numbers, a band for everything else.
#include "report/plot.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "hdb/inspect/text.hpp"
#include "report/html.hpp"
#include "report/pictures.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

constexpr double kPlotWidth = 1000;
constexpr double kPlotHeight = 160;
constexpr double kPlotMargin = 8;
constexpr std::size_t kMaxPlotPoints = 2000;  // of a line: more cannot be told apart
constexpr std::size_t kMaxPlotDots = 80;
constexpr std::size_t kMaxPlotRows = 200;
constexpr std::size_t kMaxEvents = 200;
constexpr std::size_t kValueWidth = 60;

// Where saves are between the left edge (0) and the right edge (1). The last save has some room
// after it, so that its values can be seen.
class TimeScale {
 public:
  explicit TimeScale(const std::vector<double>& times) : times_(times) {
    const double span = times.back() - times.front();
    const double step = times.size() > 1 ? span / static_cast<double>(times.size() - 1) : 0;
    whole_ = span + step > 0 ? span + step : 1;
  }
  [[nodiscard]] double at(std::size_t save) const {
    return save < times_.size() ? (times_[save] - times_.front()) / whole_ : 1;
  }

 private:
  const std::vector<double>& times_;
  double whole_ = 1;
};

// At most about kMaxPlotPoints: of samples that share a place, the first, last, least and greatest.
std::vector<PlotSample> thinned(const std::vector<PlotSample>& samples, const TimeScale& scale) {
  if (samples.size() <= kMaxPlotPoints) return samples;
  std::vector<PlotSample> kept;
  std::size_t begin = 0;
  const auto bucket_of = [&](const PlotSample& sample) {
    return static_cast<std::size_t>(scale.at(sample.save) * kMaxPlotPoints / 4);
  };
  while (begin < samples.size()) {
    std::size_t end = begin + 1;
    while (end < samples.size() && bucket_of(samples[end]) == bucket_of(samples[begin])) ++end;
    std::vector<std::size_t> chosen{begin, end - 1};
    const auto before = [&](std::size_t a, std::size_t b) {
      return samples[a].number.value_or(0) < samples[b].number.value_or(0);
    };
    std::size_t low = begin;
    std::size_t high = begin;
    for (std::size_t i = begin; i < end; ++i) {
      if (before(i, low)) low = i;
      if (before(high, i)) high = i;
    }
    chosen.push_back(low);
    chosen.push_back(high);
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    for (const std::size_t i : chosen) kept.push_back(samples[i]);
    begin = end;
  }
  return kept;
}

std::string number_label(double number) { return html_of(fmt::format("{:.6g}", number)); }

std::string save_text(const Plot& plot, std::size_t save) {
  std::string text = short_label(plot.saves[save], kValueWidth);
  if (!plot.moments[save].empty()) text += ' ' + html_of(plot.moments[save]);
  return text;
}

// What the script shows at the pointer. A line for each sample: place, save, value.
std::string readout_of(const Plot& plot, const std::vector<PlotSample>& samples,
                       const TimeScale& scale) {
  std::string text;
  for (const PlotSample& sample : samples) {
    if (!text.empty()) text += "&#10;";
    text += fmt::format("{:.5g}&#9;{}&#9;{}", scale.at(sample.save), save_text(plot, sample.save),
                        sample.exists ? short_shown(sample.text, kValueWidth) : "no value");
  }
  return text;
}

std::string_view event_class(PlotEvent::Kind kind) {
  switch (kind) {
    case PlotEvent::Kind::born: return "added";
    case PlotEvent::Kind::erased: return "removed";
    case PlotEvent::Kind::reused: return "reused";
  }
  return "same";
}

class LinePicture {
 public:
  LinePicture(const std::vector<PlotSample>& samples, const TimeScale& scale)
      : samples_(samples), scale_(scale) {
    for (const PlotSample& sample : samples) {
      if (!sample.number) continue;
      low_ = any_ ? std::min(low_, *sample.number) : *sample.number;
      high_ = any_ ? std::max(high_, *sample.number) : *sample.number;
      any_ = true;
    }
  }

  [[nodiscard]] double low() const { return low_; }
  [[nodiscard]] double high() const { return high_; }
  [[nodiscard]] bool any() const { return any_; }

  void draw(Html& page, const Plot& plot) const {
    for (std::size_t i = 0; i < std::min(plot.events.size(), kMaxEvents); ++i) {
      const PlotEvent& event = plot.events[i];
      page.put("<path class=\"event {}\" d=\"M{:.5g} 0V{}\"/>\n", event_class(event.kind),
               x_of(event.save), kPlotHeight);
    }
    std::string line;
    std::string dots;
    std::string absent;
    bool down = false;
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      const PlotSample& sample = samples_[i];
      const double x = x_of(sample.save);
      const double end = i + 1 < samples_.size() ? x_of(samples_[i + 1].save) : kPlotWidth;
      if (!sample.number) {
        absent += fmt::format("M{:.5g} 0H{:.5g}V{}H{:.5g}z", x, end, kPlotHeight, x);
        down = false;
        continue;
      }
      const double y = y_of(*sample.number);
      line += down ? fmt::format("V{:.4g}H{:.5g}", y, end)
                   : fmt::format("M{:.5g} {:.4g}H{:.5g}", x, y, end);
      dots += fmt::format("M{:.5g} {:.4g}h0", x, y);
      down = true;
    }
    if (low_ < 0 && high_ > 0)
      page.put("<path class=\"zero\" d=\"M0 {:.4g}H{}\"/>\n", y_of(0), kPlotWidth);
    if (!absent.empty()) page.put("<path class=\"absent\" d=\"{}\"/>\n", absent);
    if (!line.empty()) page.put("<path class=\"line\" d=\"{}\"/>\n", line);
    if (!dots.empty() && samples_.size() <= kMaxPlotDots)
      page.put("<path class=\"dots\" d=\"{}\"/>\n", dots);
  }

 private:
  [[nodiscard]] double x_of(std::size_t save) const { return scale_.at(save) * kPlotWidth; }
  [[nodiscard]] double y_of(double number) const {
    if (high_ <= low_) return kPlotHeight / 2;
    const double share = (number - low_) / (high_ - low_);
    const double y = kPlotHeight - kPlotMargin - share * (kPlotHeight - 2 * kPlotMargin);
    return std::isfinite(y) ? y : kPlotHeight / 2;  // a range beyond that of doubles
  }

  const std::vector<PlotSample>& samples_;
  const TimeScale& scale_;
  double low_ = 0;
  double high_ = 0;
  bool any_ = false;
};

void draw_axis(Html& page, const Plot& plot) {
  page.put("<div class=\"axis\"><span>{}</span><span>{}</span></div>\n", save_text(plot, 0),
           save_text(plot, plot.saves.size() - 1));
}

std::size_t changes_of(const PlotField& field) {
  return field.samples.empty() ? 0 : field.samples.size() - 1;
}

void draw_line(Html& page, const Plot& plot, const PlotField& field, const TimeScale& scale) {
  const std::vector<PlotSample> samples = thinned(field.samples, scale);
  const LinePicture picture(samples, scale);
  std::string children;
  const std::string name = short_shown(field.path, kCaptionWidth);
  const std::string attributes = picture_attributes(
      page, fmt::format("{} over time", name),
      picture.any()
          ? fmt::format("from {} to {}; {}", number_label(picture.low()),
                        number_label(picture.high()), count_text(changes_of(field), "change"))
          : std::string("no number"),
      children);
  page.put("<div class=\"axis\"><span>{}</span></div>\n",
           picture.any() ? number_label(picture.high()) : std::string("no number"));
  page.put(
      "<svg class=\"plot\" {} viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\" "
      "data-plot=\"{}\">\n{}",
      attributes, kPlotWidth, kPlotHeight, readout_of(plot, samples, scale), children);
  picture.draw(page, plot);
  page.put("</svg>\n<div class=\"axis\"><span>{}</span></div>\n",
           picture.any() ? number_label(picture.low()) : std::string());
}

void draw_band(Html& page, const Plot& plot, const PlotField& field, const TimeScale& scale) {
  const std::vector<PlotSample> samples = thinned(field.samples, scale);
  page.put(
      "<div class=\"lane\" role=\"img\" tabindex=\"0\" aria-label=\"{} over time: {}\" "
      "data-plot=\"{}\">\n",
      short_shown(field.path, kCaptionWidth), count_text(changes_of(field), "change"),
      readout_of(plot, samples, scale));
  std::map<std::string, std::size_t> colors;  // equal values have one colour
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (!samples[i].exists) continue;
    const double begin = scale.at(samples[i].save);
    const double end = i + 1 < samples.size() ? scale.at(samples[i + 1].save) : 1;
    const std::size_t color = colors.emplace(samples[i].text, colors.size() % 8).first->second;
    page.put("<span class=\"t{}\" style=\"left:{}%;width:{}%\">{}</span>\n", color, share(begin, 1),
             share(end - begin, 1), short_shown(samples[i].text, kValueWidth));
  }
  page.raw("</div>\n");
}

void draw_changes(Html& page, const Plot& plot, const PlotField& field) {
  page.begin_folded_table(short_shown(field.path, kCaptionWidth), {"Save", "Value"});
  const std::size_t shown = std::min(field.samples.size(), kMaxPlotRows);
  for (std::size_t i = 0; i < shown; ++i) {
    const PlotSample& sample = field.samples[i];
    page.row({save_text(plot, sample.save),
              sample.exists ? short_shown(sample.text, kRowWidth) : std::string("no value")});
  }
  page.end_folded_table();
  if (shown < field.samples.size()) {
    page.put(
        "<p class=\"muted\">The table ends after {} of {} values; <code>hdbinspect log</code> "
        "lists all.</p>\n",
        grouped(shown), grouped(field.samples.size()));
  }
}

void draw_field(Html& page, const Plot& plot, const PlotField& field, const TimeScale& scale) {
  page.put("<figure class=\"card\">\n<h3>{} <span class=\"muted count\">{}</span></h3>\n",
           short_shown(field.path, kCaptionWidth), count_text(changes_of(field), "change"));
  field.is_number ? draw_line(page, plot, field, scale) : draw_band(page, plot, field, scale);
  draw_axis(page, plot);
  page.raw("<output class=\"readout\"></output>\n");
  draw_changes(page, plot, field);
  page.raw("</figure>\n");
}

void draw_constants(Html& page, const Plot& plot) {
  page.section("constants", "Unchanged");
  page.raw("<div class=\"card\">\n");
  page.begin_table({"Field", "Value in every save"});
  for (const PlotField& field : plot.fields) {
    if (changes_of(field) != 0 || field.samples.empty()) continue;
    page.row({short_shown(field.path, kCaptionWidth),
              short_shown(field.samples.front().text, kRowWidth)});
  }
  page.end_table();
  page.raw("</div>\n</section>\n");
}

void draw_events(Html& page, const Plot& plot) {
  if (plot.events.empty()) return;
  page.section("events", "The record");
  page.raw("<div class=\"card\">\n<ul class=\"legend\">\n");
  for (const PlotEvent::Kind kind :
       {PlotEvent::Kind::born, PlotEvent::Kind::erased, PlotEvent::Kind::reused}) {
    if (std::none_of(plot.events.begin(), plot.events.end(),
                     [&](const PlotEvent& event) { return event.kind == kind; }))
      continue;
    page.put("<li><span class=\"swatch {}\"></span>{}</li>\n", event_class(kind),
             kind == PlotEvent::Kind::born     ? "born"
             : kind == PlotEvent::Kind::erased ? "erased"
                                               : "slot re-used by another record");
  }
  page.raw("</ul>\n");
  page.begin_table({"Save", "What happened"});
  const std::size_t shown = std::min(plot.events.size(), kMaxEvents);
  for (std::size_t i = 0; i < shown; ++i)
    page.row({save_text(plot, plot.events[i].save), bdi_label(plot.events[i].text, kRowWidth)});
  page.end_table();
  if (shown < plot.events.size())
    page.put("<p class=\"muted\">and {} more</p>\n", grouped(plot.events.size() - shown));
  page.raw("</div>\n</section>\n");
}

}  // namespace

std::string plot_page(const Plot& plot) {
  Html page;
  const TimeScale scale(plot.times);
  const auto changing = [](const PlotField& field) { return changes_of(field) != 0; };
  const bool any_changing = std::any_of(plot.fields.begin(), plot.fields.end(), changing);
  const bool all_changing = std::all_of(plot.fields.begin(), plot.fields.end(), changing);
  std::string links;
  if (any_changing) links += "<a href=\"#values\">Values</a>";
  if (!all_changing) links += "<a href=\"#constants\">Unchanged</a>";
  if (!plot.events.empty()) links += "<a href=\"#events\">The record</a>";
  begin_page(
      page, plot.name + " over time", bdi_label(plot.name, kCaptionWidth),
      fmt::format("<p class=\"where\">{} of {}, {}</p>\n", count_text(plot.saves.size(), "save"),
                  bdi_label(plot.where, kRowWidth), plot.by),
      links);
  if (plot.unread != 0) {
    page.verdict("bad", "&#10007; Damaged",
                 fmt::format("{} could not be read: values are as in the save before.",
                             count_text(plot.unread, "save")));
  }
  if (plot.fields_left_out != 0) {
    page.put(
        "<p class=\"muted\">The first {} fields of {} are shown. To see others, name them, as "
        "in <code>monsters:1042@7.pos.*</code></p>\n",
        plot.fields.size(), plot.fields.size() + plot.fields_left_out);
  }
  if (any_changing) {
    page.section("values", "Values");
    for (const PlotField& field : plot.fields) {
      if (changing(field)) draw_field(page, plot, field, scale);
    }
    page.raw("</section>\n");
  }
  if (!all_changing) draw_constants(page, plot);
  draw_events(page, plot);
  end_page(page);
  return page.take();
}

}  // namespace hdb::inspect
