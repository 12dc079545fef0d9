// The best single split of a contingency table by the weight it classifies correctly; the last row counts missing values.
#pragma once
#include <algorithm>
#include <vector>

#include "../matrix.hpp"

namespace tamis {

/// counts[codes[i], classes[i]] += weights[i].
template <class Code>
void weigh_codes(std::span<const Code> codes, std::span<const int32_t> classes, std::span<const double> weights,
                 Matrix<double> counts) {
    for (size_t i = 0; i < codes.size(); ++i) counts[codes[i]][classes[i]] += weights[i];
}

/// Weight that the best {x <= t} gets right, missing values on either side; 0 where nothing can be split.
inline double best_threshold(Matrix<const double> counts) {
    const size_t n_values = counts.n_rows - 1, k = counts.n_columns;
    std::vector<double> left(k), right(k), total(k, 0.0);
    for (size_t v = 0; v < counts.n_rows; ++v)
        for (size_t c = 0; c < k; ++c) total[c] += counts[v][c];
    double best = 0.0;
    for (int missing_left = 0; missing_left < 2; ++missing_left) {
        for (size_t c = 0; c < k; ++c) {
            left[c] = counts[n_values][c] * missing_left;
            right[c] = total[c] - left[c];
        }
        for (size_t v = 0; v <= n_values; ++v) {
            const double correct_left = *std::max_element(left.begin(), left.end());
            const double correct_right = *std::max_element(right.begin(), right.end());
            if (correct_left > 0 && correct_right > 0) best = std::max(best, correct_left + correct_right);
            if (v == n_values) break;
            for (size_t c = 0; c < k; ++c) {
                left[c] += counts[v][c];
                right[c] -= counts[v][c];
            }
        }
    }
    return best;
}

/// Weight that the best set of levels gets right, for two classes at a time; 0 where only one level has rows.
inline double best_level_set(Matrix<const double> counts) {
    size_t n_used = 0;
    for (size_t v = 0; v < counts.n_rows; ++v) {
        double sum = 0.0;
        for (size_t c = 0; c < counts.n_columns; ++c) sum += counts[v][c];
        n_used += sum > 0;
    }
    if (n_used < 2) return 0.0;
    double best = 0.0;
    for (size_t a = 0; a < counts.n_columns; ++a) {
        for (size_t b = 0; b < a; ++b) {
            double correct = 0.0;
            for (size_t v = 0; v < counts.n_rows; ++v) correct += std::max(counts[v][a], counts[v][b]);
            best = std::max(best, correct);
        }
    }
    return best;
}

}  // namespace tamis
