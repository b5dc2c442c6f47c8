/* Calls the object that fa-compile made of test/Integration's matmul_plain, twice. */
#include HEADER
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  static float q[2 * 8 * 16], k[2 * 12 * 16], v[2 * 12 * 16];
  for (int i = 0; i < 2 * 12 * 16; ++i)
    v[i] = 2.5f; /* every row of weights sums to 1 */
  fa_f32_4d query = {q, q, 0, {1, 2, 8, 16}, {256, 128, 16, 1}};
  fa_f32_4d key = {k, k, 0, {1, 2, 12, 16}, {384, 192, 16, 1}};
  fa_f32_4d value = {v, v, 0, {1, 2, 12, 16}, {384, 192, 16, 1}};
  for (int run = 0; run < 2; ++run) {
    fa_matmul_plain_results results;
    fa_matmul_plain(&results, &query, &key, &value);
    printf("%d %d %.4f %.4f\n", (int)results.res0.sizes[1], (int)results.res0.sizes[2],
           results.res0.data[0], results.res0.data[255]);
    free(results.res0.allocated);
  }
  return 0;
}
