//===- Arguments.h - Where arguments come from ----------------------------===//
#ifndef FA_RUN_ARGUMENTS_H
#define FA_RUN_ARGUMENTS_H

#include "CommandLine.h"
#include "Runnable.h"

namespace fa_run {

/// The arguments that the options ask for, checked against the types. Throws Failure with the
/// argument's name, the expected and the given shape and type.
std::vector<Tensor> gatherArguments(const Options &options, const std::vector<ValueType> &types);

/// `array` as an element of `type`: its dtype, with the ways in which NumPy stores bf16 and
/// booleans allowed for. An Invalid dtype if it is another one.
Tensor reinterpretArray(Tensor array, DType type);

} // namespace fa_run

#endif // FA_RUN_ARGUMENTS_H
