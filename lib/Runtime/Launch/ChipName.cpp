//===- ChipName.cpp - Which code runs on which chip -----------------------===//

#include "Runtime/Launch/ChipName.h"
#include <charconv>

namespace fa_runtime {

std::string toString(Capability capability) {
  return "sm_" + std::to_string(capability.major * 10 + capability.minor);
}

namespace {

struct ChipName {
  bool isValid = false;
  Capability capability;
  char suffix = 0; ///< 'a': this chip alone; 'f': its family

  explicit ChipName(const std::string &name) {
    int number = 0;
    const char *begin = name.data() + 3, *end = name.data() + name.size();
    if (name.compare(0, 3, "sm_") != 0)
      return;
    auto [rest, error] = std::from_chars(begin, end, number);
    isValid = error == std::errc() && number >= 10 && end - rest <= 1;
    capability = {number / 10, number % 10};
    suffix = isValid && rest != end ? *rest : '\0';
    isValid = isValid && (suffix == 0 || suffix == 'a' || suffix == 'f');
  }

  bool isSameMajor(Capability device) const {
    return device.major == capability.major && device.minor >= capability.minor;
  }
  bool isExactly(Capability device) const {
    return device.major == capability.major && device.minor == capability.minor;
  }
};

} // namespace

bool ptxFits(const std::string &machine, Capability capability) {
  ChipName chip(machine);
  if (!chip.isValid)
    return false;
  if (chip.suffix)
    return chip.suffix == 'a' ? chip.isExactly(capability) : chip.isSameMajor(capability);
  return chip.isSameMajor(capability) || capability.major > chip.capability.major;
}

bool cubinFits(const std::string &chip, Capability capability) {
  ChipName name(chip);
  return name.isValid &&
         (name.suffix == 'a' ? name.isExactly(capability) : name.isSameMajor(capability));
}

} // namespace fa_runtime
