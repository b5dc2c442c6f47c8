//===- ChipName.h - Which code runs on which chip -------------------------===//
#ifndef FA_RUNTIME_LAUNCH_CHIPNAME_H
#define FA_RUNTIME_LAUNCH_CHIPNAME_H

#include <string>

namespace fa_runtime {

/// A device's compute capability.
struct Capability {
  int major = 0;
  int minor = 0;
};

/// "sm_90".
std::string toString(Capability capability);

/// Whether PTX for `machine` runs there: "sm_80" on 8.0 and everything later, "sm_90a" on 9.0
/// alone, "sm_100f" on 10.0 and later minors.
bool ptxFits(const std::string &machine, Capability capability);

/// Whether machine code for `chip` runs there: the same major, no later minor; "sm_90a" on 9.0
/// alone.
bool cubinFits(const std::string &chip, Capability capability);

} // namespace fa_runtime

#endif // FA_RUNTIME_LAUNCH_CHIPNAME_H
