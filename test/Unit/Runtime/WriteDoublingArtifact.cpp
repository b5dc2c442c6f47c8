//===- WriteDoublingArtifact.cpp - An artifact for tests of fa-run --------===//
//
// usage: write-doubling-artifact KERNEL FILE.fa
//
//===----------------------------------------------------------------------===//

#include "DoublingArtifact.h"
#include <cstdio>

int main(int argc, char **argv) {
  using namespace fa_runtime;
  if (argc != 3)
    return 2;
  Status status = writeArtifactFile(argv[2], doublingArtifact(argv[1]));
  if (!status)
    fprintf(stderr, "error: %s\n", status.error().text.c_str());
  return status ? 0 : 2;
}
