//===- WriteDoublingArtifact.cpp - An artifact for tests of fa-run --------===//
//
// usage: write-doubling-artifact KERNEL FILE.fa [rows|stride=N]
// The last one is a rule for x: its only number of rows, or the stride of a row.
//
//===----------------------------------------------------------------------===//

#include "DoublingArtifact.h"
#include <cstdio>
#include <string>

int main(int argc, char **argv) {
  using namespace fa_runtime;
  if (argc < 3)
    return 2;
  Artifact artifact = doublingArtifact(argv[1]);
  Region &region = artifact.regions[0];
  std::string rule = argc > 3 ? argv[3] : "";
  int64_t value = rule.empty() ? 0 : std::stoll(rule.substr(rule.find('=') + 1));
  if (rule.find("rows") == 0)
    region.programs[0].launches[0].guard = equal(dim(0, 0), value);
  else if (rule.find("stride") == 0)
    region.arguments[0].strides = {value, 1};
  Status status = writeArtifactFile(argv[2], artifact);
  if (!status)
    fprintf(stderr, "error: %s\n", status.error().text.c_str());
  return status ? 0 : 2;
}
