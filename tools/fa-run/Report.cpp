//===- Report.cpp - What fa-run says on stdout ----------------------------===//

#include "Report.h"
#include "Runtime/Tensor/Convert.h"
#include <algorithm>
#include <cmath>
#include <cstdio>

namespace fa_run {

using json = nlohmann::ordered_json;

void Report::line(const std::string &text) const {
  if (isJson)
    return;
  fputs((text + "\n").c_str(), stdout);
  fflush(stdout);
}

void Report::finish() const {
  if (isJson)
    fputs((fields.dump(2, ' ', false, json::error_handler_t::replace) + "\n").c_str(), stdout);
}

static std::string format(const char *pattern, double number) {
  char text[64];
  snprintf(text, sizeof text, pattern, number);
  return text;
}

std::string formatError(double error) { return format("%.3e", error); }

json toJson(double number) {
  return std::isfinite(number) ? json(number) : json(format("%g", number));
}

json toJson(const Timing &timing) {
  return {{"min_s", timing.min},
          {"median_s", timing.median},
          {"max_s", timing.max},
          {"runs", timing.runs}};
}

static std::string formatSeconds(double seconds) {
  if (seconds < 1e-3)
    return format("%.4g us", seconds * 1e6);
  return seconds < 1 ? format("%.4g ms", seconds * 1e3) : format("%.4g s", seconds);
}

std::string toText(const Timing &timing) {
  return formatSeconds(timing.median) + " median, " + formatSeconds(timing.min) + " to " +
         formatSeconds(timing.max) + ", " + std::to_string(timing.runs) + " runs";
}

void reportResults(Report &report, const std::vector<Tensor> &results) {
  json list = json::array();
  for (size_t i = 0; i < results.size(); ++i) {
    double min = INFINITY, max = -INFINITY;
    int64_t numSpecial = 0;
    for (double value : fa_runtime::toDoubles(results[i])) {
      numSpecial += !std::isfinite(value);
      if (std::isfinite(value)) {
        min = std::min(min, value);
        max = std::max(max, value);
      }
    }
    std::string name = "res" + std::to_string(i);
    std::string text = name + "  " + fa_runtime::describeType(results[i].shape, results[i].dtype);
    json entry = {{"name", name},
                  {"dtype", std::string(fa_runtime::nameOf(results[i].dtype))},
                  {"shape", results[i].shape}};
    if (min <= max) {
      text += "  from " + format("%.6g", min) + " to " + format("%.6g", max);
      entry["min"] = min;
      entry["max"] = max;
    }
    if (numSpecial)
      text += "  (" + std::to_string(numSpecial) + " elements are NaN or infinite)";
    entry["nonFinite"] = numSpecial;
    report.line(text);
    list.push_back(std::move(entry));
  }
  report.fields["results"] = std::move(list);
}

} // namespace fa_run
