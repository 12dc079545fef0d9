// NumPy arrays as the views of matrix.hpp: C-contiguous, of one dtype, never copied where they are written.
#pragma once
#include "arrays.hpp"
#include "bind.hpp"
#include "matrix.hpp"
#include "wide.hpp"

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
