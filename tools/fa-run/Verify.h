//===- Verify.h - Fused against unfused, both against f64 -----------------===//
#ifndef FA_RUN_VERIFY_H
#define FA_RUN_VERIFY_H

#include "CommandLine.h"
#include "IrProgram.h"
#include "Report.h"

namespace fa_run {

/// Runs the unfused form and the f64 reference beside `fused`, whose results on `arguments` are
/// `results`, and prints the table. True if the rule holds for every result.
bool verify(const Options &options, const std::string &text, IrProgram &fused,
            const std::vector<Tensor> &arguments, const std::vector<Tensor> &results,
            Report &report);

} // namespace fa_run

#endif // FA_RUN_VERIFY_H
