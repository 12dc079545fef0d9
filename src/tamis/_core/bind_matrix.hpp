// NumPy arrays as the views of matrix.hpp: C-contiguous, of one dtype, never copied where they are written.
#pragma once
#include "arrays.hpp"
#include "bind.hpp"
#include "matrix.hpp"

// Kernels that gain by wider instructions are compiled several times, and the loader picks one by processor: lanes of doubles 1.5x,
// population counts 3x by one instruction per word and 5x by one per eight words. Products and sums are never fused, so all
// compilations give the same bits.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define TAMIS_WIDE __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4"), flatten))
#define TAMIS_POPCOUNT_CLONES 1
#else
#define TAMIS_WIDE
#define TAMIS_POPCOUNT_CLONES 0
#endif

namespace tamis {

// `with_popcount` calls a kernel that counts bits, compiled for the processor's population count, which `target_clones` cannot name.
#if TAMIS_POPCOUNT_CLONES
template <class Kernel>
__attribute__((target("avx512f,avx512vl,avx512vpopcntdq,popcnt"), flatten)) void popcount_of_words(Kernel kernel) {
    kernel();
}
template <class Kernel>
__attribute__((target("popcnt"), flatten)) void popcount_of_word(Kernel kernel) {
    kernel();
}
template <class Kernel>
void with_popcount(Kernel kernel) {
    if (__builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512vl")) return popcount_of_words(kernel);
    if (__builtin_cpu_supports("popcnt")) return popcount_of_word(kernel);
    kernel();
}
#else
template <class Kernel>
void with_popcount(Kernel kernel) {
    kernel();
}
#endif

template <class T>
using Vector1 = nb::ndarray<T, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Array2 = nb::ndarray<T, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Array3 = nb::ndarray<T, nb::numpy, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<T> view(const Vector1<T>& array) {
    return {array.data(), array.shape(0)};
}
template <class T>
Matrix<T> view(const Array2<T>& array) {
    return {array.data(), array.shape(0), array.shape(1)};
}
template <class T>
Cube<T> view(const Array3<T>& array) {
    return {array.data(), array.shape(0), array.shape(1), array.shape(2)};
}

/// A shape that a caller in Python got wrong is a bug of ours, never a user's: it is refused, not read beyond its end.
inline void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

}  // namespace tamis
