/* Calls the object of many_keys.mlir with a heap that notices every misuse: freed memory is filled
 * with NaNs and kept to the end, so that a read is seen in the result, and a write in the fill.
 * Link with -Wl,--wrap=malloc,--wrap=free, and define B and M, the batch and the query length. */
#include HEADER
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 300, D = 16, MAX_BLOCKS = 4096 };

static struct {
  unsigned char *data;
  size_t size;
  int frees;
} blocks[MAX_BLOCKS];
static int num_blocks, num_unknown;

void *__real_malloc(size_t size);

void *__wrap_malloc(size_t size) {
  int i = __atomic_fetch_add(&num_blocks, 1, __ATOMIC_RELAXED);
  if (i >= MAX_BLOCKS)
    abort();
  blocks[i].size = size;
  return blocks[i].data = __real_malloc(size);
}

void __wrap_free(void *pointer) {
  for (int i = 0; i < __atomic_load_n(&num_blocks, __ATOMIC_RELAXED); ++i)
    if (pointer && blocks[i].data == pointer) {
      if (__atomic_fetch_add(&blocks[i].frees, 1, __ATOMIC_RELAXED) == 0)
        memset(pointer, 0xFF, blocks[i].size);
      return;
    }
  num_unknown += pointer != 0;
}

static float q[B * M * D], k[B * N * D], v[B * N * D];

/* max |out - ref| / max |ref|, with ref in double; NaN counts as infinite. */
static double measure_error(const float *out) {
  double worst = 0, largest = 0;
  for (int row = 0; row < B * M; ++row) {
    double sum = 0, max = -INFINITY, s[N], o[D] = {0};
    const float *keys = k + row / M * N * D, *values = v + row / M * N * D;
    for (int n = 0; n < N; ++n) {
      s[n] = 0;
      for (int d = 0; d < D; ++d)
        s[n] += (double)q[row * D + d] * keys[n * D + d];
      max = fmax(max, s[n]);
    }
    for (int n = 0; n < N; ++n) {
      double weight = exp(s[n] - max);
      sum += weight;
      for (int d = 0; d < D; ++d)
        o[d] += weight * values[n * D + d];
    }
    for (int d = 0; d < D; ++d) {
      double error = fabs(out[row * D + d] - o[d] / sum);
      worst = error <= worst ? worst : isnan(error) ? INFINITY : error;
      largest = fmax(largest, fabs(o[d] / sum));
    }
  }
  return worst / largest;
}

static int check_heap(int num_results) {
  int live = 0, twice = 0, written = 0;
  for (int i = 0; i < num_blocks; ++i) {
    live += blocks[i].frees == 0;
    twice += blocks[i].frees > 1;
    for (size_t byte = 0; blocks[i].frees && byte < blocks[i].size; ++byte)
      if (blocks[i].data[byte] != 0xFF) {
        ++written;
        break;
      }
  }
  printf("not freed %d, freed twice %d, written after free %d, unknown %d\n", live - num_results,
         twice, written, num_unknown);
  return live != num_results || twice || written || num_unknown || num_blocks <= num_results;
}

static void fill(float *data, int size, unsigned seed) {
  for (int i = 0; i < size; ++i) {
    seed = seed * 1664525u + 1013904223u;
    data[i] = (float)(seed >> 8) / (1 << 23) - 1; /* from -1 to 1 */
  }
}

int main(void) {
  fill(q, B * M * D, 1);
  fill(k, B * N * D, 2);
  fill(v, B * N * D, 3);
  fa_f32_3d query = {q, q, 0, {B, M, D}, {M * D, D, 1}};
  fa_f32_3d key = {k, k, 0, {B, N, D}, {N * D, D, 1}};
  fa_f32_3d value = {v, v, 0, {B, N, D}, {N * D, D, 1}};
  double worst = 0;
  for (int run = 0; run < 3; ++run) {
    fa_many_keys_results results;
    fa_many_keys(&results, &query, &key, &value);
    worst = fmax(worst, measure_error(results.res0.data));
  }
  printf("error %.1e: %s\n", worst, worst <= 2e-5 ? "ok" : "differs");
  return check_heap(3) || !(worst <= 2e-5);
}
