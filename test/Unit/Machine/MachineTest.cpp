//===- MachineTest.cpp - The machine table --------------------------------===//

#include "fa/Machine/Machine.h"
#include "gtest/gtest.h"

using namespace mlir::fa;

TEST(Machine, IsFoundByChipAndByCard) {
  for (const char *name : {"host", "sm_80", "a100", "sm_90a", "h100", "h200", "sm_100a", "b200"})
    EXPECT_NE(findMachine(name), nullptr) << name;
  for (const char *name : {"", "sm_90", "H200", "v100", "sm_90a "})
    EXPECT_EQ(findMachine(name), nullptr) << name;
}

TEST(Machine, TwoCardsShareAChip) {
  EXPECT_EQ(findMachine("h100")->name, "sm_90a");
  EXPECT_EQ(findMachine("h200")->name, "sm_90a");
  EXPECT_EQ(findMachine("sm_90a"), findMachine("h200"));
  EXPECT_LT(findMachine("h100")->bandwidth, findMachine("h200")->bandwidth);
}

// The published figures: 312 TFLOP/s over 2 TB/s; 2.25 and (sparse) 4.5 PFLOP/s over 8 TB/s.
TEST(Machine, BalanceOfKnownCards) {
  const Machine *a100 = findMachine("a100"), *b200 = findMachine("b200");
  EXPECT_DOUBLE_EQ(a100->getBalance(Arithmetic::F16), 156);
  EXPECT_DOUBLE_EQ(b200->getBalance(Arithmetic::BF16), 281.25);
  EXPECT_DOUBLE_EQ(b200->getSparseRate(Arithmetic::F16).flops / b200->bandwidth, 562.5);
}

TEST(Machine, RatesAreNamed) {
  const Machine *a100 = findMachine("a100");
  EXPECT_EQ(a100->getRate(Arithmetic::F16).about, "dense f16");
  EXPECT_EQ(a100->getSparseRate(Arithmetic::BF16).about, "sparse bf16");
  EXPECT_EQ(a100->getRate(Arithmetic::F32).about, "f32 as three dense tf32 products");
  EXPECT_EQ(a100->getSparseRate(Arithmetic::F64).about, "dense f64");
  EXPECT_EQ(findMachine("host")->getRate(Arithmetic::F32).about, "dense f32");
}

TEST(Machine, EveryRowIsComplete) {
  for (const Machine &machine : getMachines()) {
    EXPECT_FALSE(machine.name.empty());
    EXPECT_FALSE(machine.description.empty());
    EXPECT_EQ(machine.card.empty(), !machine.isGPU());
    EXPECT_GT(machine.fastBytes, 0);
    EXPECT_GT(machine.processors, 0);
    EXPECT_GT(machine.bandwidth, 0);
    EXPECT_GT(machine.lastLevelBytes, machine.fastBytes);
    EXPECT_GE(machine.peakF16, machine.peakF32);
    EXPECT_GE(machine.sparseFactor, 1);
  }
}

TEST(Machine, ListsNameEveryRow) {
  EXPECT_EQ(listMachineNames(), "host, sm_80, a100, sm_90a, h200, h100, sm_100a, b200");
  std::string table = listMachines();
  for (const Machine &machine : getMachines())
    EXPECT_NE(table.find(machine.description.str()), std::string::npos);
}
