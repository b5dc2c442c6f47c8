//===- Runnable.h - What fa-run can run -----------------------------------===//
#ifndef FA_RUN_RUNNABLE_H
#define FA_RUN_RUNNABLE_H

#include "Runtime/Tensor/Tensor.h"
#include <string>
#include <vector>

namespace fa_run {

using fa_runtime::DType;
using fa_runtime::Tensor;

/// The type of an argument or result.
struct ValueType {
  std::string name;
  DType dtype = DType::Invalid;
  std::vector<int64_t> dims; ///< -1 where run time decides
  bool isScalar = false;
};

/// How long runs took, in seconds.
struct Timing {
  double min = 0, median = 0, max = 0;
  int64_t runs = 0;
};

/// Sorts `seconds`, which must not be empty.
Timing summarize(std::vector<double> seconds);

/// A compiled function or an entry of an artifact. All members throw Failure.
class Runnable {
public:
  virtual ~Runnable() = default;
  virtual std::string name() const = 0;
  virtual std::vector<ValueType> arguments() const = 0;
  virtual std::vector<ValueType> results() const = 0;
  /// Results are dense.
  virtual std::vector<Tensor> run(const std::vector<Tensor> &arguments) = 0;
  /// Runs again and again on the arguments of the last `run`, copying and compiling left out.
  virtual Timing time(const std::vector<Tensor> &arguments) = 0;
};

} // namespace fa_run

#endif // FA_RUN_RUNNABLE_H
