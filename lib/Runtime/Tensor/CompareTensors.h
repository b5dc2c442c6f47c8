//===- CompareTensors.h - Errors against a reference ----------------------===//
#ifndef FA_RUNTIME_TENSOR_COMPARETENSORS_H
#define FA_RUNTIME_TENSOR_COMPARETENSORS_H

#include "Runtime/DType.h"
#include <cstdint>
#include <string>
#include <vector>

namespace fa_runtime {

/// How far values are from a reference, over every element.
struct Deviation {
  /// max |x - ref| / scale, over the elements where both are finite.
  double error = 0;
  /// Elements that are NaN or infinite where the reference is not, or the other way round.
  int64_t numSpecial = 0;
  int64_t worst = -1; ///< the element with the largest error, or the first special one; -1: none
  double value = 0;   ///< there
  double reference = 0;
};

/// A reference for one result, in row-major order, and the result's type.
struct Reference {
  std::vector<double> values;
  DType dtype = DType::Invalid;
};

/// What errors are relative to, for each result: its max |ref|. A reference that is zero but for
/// rounding (a gradient that cancels) has none of its own: where max |ref| is below 2^-24 of the
/// largest result's, that one counts. 1 where everything is zero.
std::vector<double> errorScales(const std::vector<Reference> &references);

/// `values` against `reference`, of one length, with errors relative to `scale`. A value that
/// overflows its type where the reference does so too counts as equal.
Deviation measureDeviation(const std::vector<double> &values, const Reference &reference,
                           double scale);

/// What a result of the type may differ from the reference: 1e-9, 2e-5, 1e-2, 6e-2 of max |ref| for
/// f64, f32, f16, bf16; 0 for integers.
double expectTolerance(DType dtype);

/// The slack of the rule "fused <= 2 x unfused + slack": 1e-12, 1e-6, 1e-3, 8e-3; 0 for integers.
double verifySlack(DType dtype);

/// What became of one result under the rule for fused code.
struct Verdict {
  Deviation unfused, fused;
  double bound = 0; ///< 2 x unfused + slack
  bool holds = false;
};

/// The rule: fused <= 2 x unfused + slack. Where the unfused value is not finite and the reference
/// is, the fused one must be within the tolerance of --expect; where the reference is NaN or
/// infinite, the fused value must be what the reference or the unfused value is.
Verdict judgeFused(const std::vector<double> &fused, const std::vector<double> &unfused,
                   const Reference &reference, double scale);

/// "element [0, 3, 17] is 1.5, the reference 1.25".
std::string describeWorst(const Deviation &deviation, const std::vector<int64_t> &shape);

} // namespace fa_runtime

#endif // FA_RUNTIME_TENSOR_COMPARETENSORS_H
