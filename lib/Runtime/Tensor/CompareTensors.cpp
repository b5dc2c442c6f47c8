//===- CompareTensors.cpp - Errors against a reference --------------------===//

#include "Runtime/Tensor/CompareTensors.h"
#include "Runtime/Tensor/Convert.h"
#include <algorithm>
#include <cmath>
#include <cstdio>

namespace fa_runtime {

/// Both NaN, or infinities of one sign.
static bool isSameSpecial(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (std::isinf(a) && a == b);
}

static bool bothFinite(double a, double b) { return std::isfinite(a) && std::isfinite(b); }

/// The reference as the element type can hold it: only its overflow matters here.
static double saturate(double reference, DType dtype) {
  if (!isFloat(dtype) || !std::isfinite(reference))
    return reference;
  char bytes[8];
  storeDouble(dtype, bytes, reference);
  double rounded = loadAsDouble(dtype, bytes);
  return std::isfinite(rounded) ? reference : rounded;
}

static double largestFinite(const Reference &reference) {
  double largest = 0;
  for (double value : reference.values)
    if (std::isfinite(saturate(value, reference.dtype)))
      largest = std::max(largest, std::fabs(value));
  return largest;
}

std::vector<double> errorScales(const std::vector<Reference> &references) {
  constexpr double kRounding = 0x1p-24;
  std::vector<double> scales;
  double largest = 0;
  for (const Reference &reference : references) {
    scales.push_back(largestFinite(reference));
    if (isFloat(reference.dtype))
      largest = std::max(largest, scales.back());
  }
  for (double &scale : scales) {
    if (scale < kRounding * largest)
      scale = largest;
    if (scale == 0)
      scale = 1;
  }
  return scales;
}

namespace {

/// Collects one element after the other.
struct Measure {
  double scale;
  Deviation deviation = {};

  explicit Measure(double scale) : scale(scale) {}

  void keep(int64_t index, double value, double reference) {
    deviation.worst = index;
    deviation.value = value;
    deviation.reference = reference;
  }
  void add(int64_t index, double value, double reference) {
    if (!bothFinite(value, reference)) {
      if (!isSameSpecial(value, reference) && deviation.numSpecial++ == 0)
        keep(index, value, reference);
      return;
    }
    double error = std::fabs(value - reference) / scale;
    if (error <= deviation.error)
      return;
    deviation.error = error;
    if (deviation.numSpecial == 0)
      keep(index, value, reference);
  }
};

} // namespace

Deviation measureDeviation(const std::vector<double> &values, const Reference &reference,
                           double scale) {
  Measure measure(scale);
  for (size_t i = 0; i < values.size(); ++i)
    measure.add(static_cast<int64_t>(i), values[i], saturate(reference.values[i], reference.dtype));
  return measure.deviation;
}

double expectTolerance(DType dtype) {
  switch (dtype) {
  case DType::F64:
    return 1e-9;
  case DType::F32:
    return 2e-5;
  case DType::F16:
    return 1e-2;
  case DType::BF16:
    return 6e-2;
  default:
    return 0;
  }
}

double verifySlack(DType dtype) {
  switch (dtype) {
  case DType::F64:
    return 1e-12;
  case DType::F32:
    return 1e-6;
  case DType::F16:
    return 1e-3;
  case DType::BF16:
    return 8e-3;
  default:
    return 0;
  }
}

Verdict judgeFused(const std::vector<double> &fused, const std::vector<double> &unfused,
                   const Reference &reference, double scale) {
  Verdict verdict;
  // The bound comes from the elements where the unfused value is a number; the table shows all.
  Measure known(scale), rest(scale), all(scale);
  verdict.unfused = measureDeviation(unfused, reference, scale);
  for (size_t i = 0; i < fused.size(); ++i) {
    double ref = saturate(reference.values[i], reference.dtype);
    auto index = static_cast<int64_t>(i);
    bool isAsUnfused = isSameSpecial(fused[i], unfused[i]) || bothFinite(fused[i], unfused[i]);
    if (!std::isfinite(ref) && isAsUnfused)
      continue;
    all.add(index, fused[i], ref);
    (std::isfinite(unfused[i]) ? known : rest).add(index, fused[i], ref);
  }
  verdict.fused = all.deviation;
  verdict.bound = 2 * verdict.unfused.error + verifySlack(reference.dtype);
  verdict.holds = all.deviation.numSpecial == 0 && known.deviation.error <= verdict.bound &&
                  rest.deviation.error <= expectTolerance(reference.dtype);
  return verdict;
}

std::string describeWorst(const Deviation &deviation, const std::vector<int64_t> &shape) {
  std::string index;
  int64_t rest = deviation.worst;
  for (size_t axis = shape.size(); axis-- > 0;) {
    index = std::to_string(rest % shape[axis]) + (index.empty() ? "" : ", ") + index;
    rest /= shape[axis];
  }
  char text[160];
  snprintf(text, sizeof text, "is %.9g, the reference %.9g", deviation.value, deviation.reference);
  return "element [" + index + "] " + text;
}

} // namespace fa_runtime
