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

static double largestFinite(const std::vector<double> &reference, DType dtype) {
  double largest = 0;
  for (double value : reference)
    if (std::isfinite(saturate(value, dtype)))
      largest = std::max(largest, std::fabs(value));
  return largest;
}

namespace {

/// Collects one element after the other.
struct Measure {
  double scale;
  Deviation deviation = {};

  explicit Measure(double largest) : scale(largest > 0 ? 1 / largest : 1) {}

  double errorOf(double value, double reference) const {
    return std::fabs(value - reference) * scale;
  }
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
    double error = errorOf(value, reference);
    if (error <= deviation.error)
      return;
    deviation.error = error;
    if (deviation.numSpecial == 0)
      keep(index, value, reference);
  }
};

} // namespace

Deviation measureDeviation(const std::vector<double> &values, const std::vector<double> &reference,
                           DType dtype) {
  Measure measure(largestFinite(reference, dtype));
  for (size_t i = 0; i < values.size(); ++i)
    measure.add(static_cast<int64_t>(i), values[i], saturate(reference[i], dtype));
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
                   const std::vector<double> &reference, DType dtype) {
  Verdict verdict;
  double largest = largestFinite(reference, dtype);
  // The bound comes from the elements where the unfused value is a number; the table shows all.
  Measure known(largest), rest(largest), all(largest);
  bool holds = true;
  verdict.unfused = measureDeviation(unfused, reference, dtype);
  for (size_t i = 0; i < fused.size(); ++i) {
    double ref = saturate(reference[i], dtype);
    auto index = static_cast<int64_t>(i);
    bool allowed = !std::isfinite(ref) && isSameSpecial(fused[i], unfused[i]);
    allowed |= !std::isfinite(ref) && bothFinite(fused[i], unfused[i]);
    if (allowed)
      continue;
    all.add(index, fused[i], ref);
    (std::isfinite(unfused[i]) ? known : rest).add(index, fused[i], ref);
  }
  verdict.fused = all.deviation;
  verdict.bound = 2 * verdict.unfused.error + verifySlack(dtype);
  holds = all.deviation.numSpecial == 0 && known.deviation.error <= verdict.bound &&
          rest.deviation.error <= expectTolerance(dtype);
  verdict.holds = holds;
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
