// Views of contiguous arrays that Python owns: row-major, no copies, no ownership.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace tamis {

/// (n_rows, n_columns), row-major.
template <class T>
struct Matrix {
    T* data = nullptr;
    size_t n_rows = 0;
    size_t n_columns = 0;

    T* operator[](size_t row) const { return data + row * n_columns; }
    std::span<T> row(size_t i) const { return {data + i * n_columns, n_columns}; }
};

/// (n_blocks, n_rows, n_columns), row-major.
template <class T>
struct Cube {
    T* data = nullptr;
    size_t n_blocks = 0;
    size_t n_rows = 0;
    size_t n_columns = 0;

    Matrix<T> operator[](size_t block) const { return {data + block * n_rows * n_columns, n_rows, n_columns}; }
};

}  // namespace tamis
