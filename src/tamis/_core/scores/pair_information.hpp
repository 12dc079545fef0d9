// Mutual information of one column with every other, plainly and within classes.
#pragma once
#include <algorithm>
#include <vector>

#include "../matrix.hpp"

namespace tamis {

/// out[i] = I(x_i; x_j) in nats; xlogx[c] = c log c, entropy[i] = H(x_i).
inline void shared_information(Matrix<const uint16_t> codes, std::span<const int64_t> sizes, size_t j,
                               std::span<const double> xlogx, std::span<const double> entropy, std::span<double> out) {
    const size_t d = codes.n_rows, n = codes.n_columns, width = size_t(sizes[j]);
    std::vector<int64_t> counts(size_t(*std::max_element(sizes.begin(), sizes.end())) * width);
    for (size_t i = 0; i < d; ++i) {
        const size_t cells = size_t(sizes[i]) * width;
        std::fill_n(counts.begin(), cells, 0);
        for (size_t r = 0; r < n; ++r) ++counts[codes[i][r] * width + codes[j][r]];
        double joint = 0.0;
        for (size_t c = 0; c < cells; ++c) joint += xlogx[counts[c]];
        out[i] = std::max(0.0, entropy[i] + entropy[j] - (xlogx[n] - joint) / double(n));
    }
}

/// out[i] = I(x_i; x_j | y): the mean over classes of what the two share within a class.
inline void shared_information_within(Matrix<const uint16_t> codes, std::span<const int64_t> sizes, size_t j,
                                      std::span<const int32_t> classes, size_t n_classes, std::span<const double> xlogx,
                                      std::span<double> out) {
    const size_t d = codes.n_rows, n = codes.n_columns, width = size_t(sizes[j]);
    const size_t max_size = size_t(*std::max_element(sizes.begin(), sizes.end()));
    std::vector<int64_t> joint(max_size * width * n_classes), left(max_size * n_classes), right(width * n_classes, 0);
    for (size_t r = 0; r < n; ++r) ++right[codes[j][r] * n_classes + classes[r]];
    double margin_j = 0.0, base = 0.0;
    for (int64_t count : right) margin_j += xlogx[count];
    for (size_t c = 0; c < n_classes; ++c) {
        int64_t size = 0;
        for (size_t v = 0; v < width; ++v) size += right[v * n_classes + c];
        base += xlogx[size];
    }
    for (size_t i = 0; i < d; ++i) {
        const size_t k = size_t(sizes[i]);
        std::fill_n(joint.begin(), k * width * n_classes, 0);
        std::fill_n(left.begin(), k * n_classes, 0);
        for (size_t r = 0; r < n; ++r) {
            ++joint[(codes[i][r] * width + codes[j][r]) * n_classes + classes[r]];
            ++left[codes[i][r] * n_classes + classes[r]];
        }
        double inside = 0.0, margin_i = 0.0;
        for (size_t cell = 0; cell < k * width * n_classes; ++cell) inside += xlogx[joint[cell]];
        for (size_t cell = 0; cell < k * n_classes; ++cell) margin_i += xlogx[left[cell]];
        out[i] = std::max(0.0, (inside - margin_i - margin_j + base) / double(n));
    }
}

}  // namespace tamis
