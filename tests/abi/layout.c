/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles or does not: compiled as C11, and through layout_17.cpp and layout_20.cpp as C++. */
#include <assay/abi/v1.h>

#ifdef __cplusplus
#define HOLDS(condition, text) static_assert(condition, text)
#else
#define HOLDS(condition, text) _Static_assert(condition, text)
#endif

#define VALUE(constant, number) HOLDS((int)(constant) == (number), #constant);
#define SIZE(structure, bytes) HOLDS(sizeof(struct structure) == (bytes), "size of " #structure);
#define FIELD(structure, field, offset) \
  HOLDS(offsetof(struct structure, field) == (offset), "offset of " #structure "." #field);

HOLDS(sizeof(void*) == 8 && sizeof(size_t) == 8, "the layout is that of LP64");
#include "layout.inc"
