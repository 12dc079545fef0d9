// Kernels that gain by wider instructions are compiled several times, and the loader picks one by processor: lanes of doubles 1.5x,
// population counts 3x by one instruction per word and 5x by one per eight words. Products and sums are never fused unless by name,
// so all compilations give the same bits.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define TAMIS_WIDE __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4"), flatten))
#define TAMIS_POPCOUNT_CLONES 1
#else
#define TAMIS_WIDE
#define TAMIS_POPCOUNT_CLONES 0
#endif
