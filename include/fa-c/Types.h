/*===- fa-c/Types.h - What the C interfaces share -------------------------------===*\
 * Status codes, element types, tensors.
\*===--------------------------------------------------------------------------===*/
#ifndef FA_C_TYPES_H
#define FA_C_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What became of a call; the values are the exit codes of fa-run and fa-compile. */
typedef enum FaStatus {
  FA_STATUS_OK = 0,
  /** Unreadable or invalid input, no such function, arguments that do not fit. */
  FA_STATUS_INPUT = 2,
  /** Valid input that this compiler or device cannot take; the error says why. */
  FA_STATUS_REFUSED = 3
} FaStatus;

/** Element types of tensors and scalars. */
typedef enum FaDType {
  FA_DTYPE_INVALID = 0,
  FA_DTYPE_BOOL = 1, /**< one byte, 0 or 1 (i1) */
  FA_DTYPE_I8 = 2,   /**< signless integers: i8 also stands for ui8, and so on */
  FA_DTYPE_I16 = 3,
  FA_DTYPE_I32 = 4,
  FA_DTYPE_I64 = 5, /**< also index */
  FA_DTYPE_F16 = 6,
  FA_DTYPE_BF16 = 7, /**< the upper 16 bits of an f32 */
  FA_DTYPE_F32 = 8,
  FA_DTYPE_F64 = 9
} FaDType;

/** A tensor, in host or device memory as the function that takes it says. A scalar is a tensor of
 *  rank 0 and always in host memory. */
typedef struct FaTensor {
  void *data;    /**< the element with all indices 0; may be NULL if there is no element */
  int32_t dtype; /**< FaDType */
  int32_t rank;
  const int64_t *shape;   /**< `rank` sizes */
  const int64_t *strides; /**< `rank` strides in elements (not bytes); NULL: row-major, dense */
} FaTensor;

#ifdef __cplusplus
}
#endif

#endif /* FA_C_TYPES_H */
