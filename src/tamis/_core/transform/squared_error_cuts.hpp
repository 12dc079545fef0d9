// Cut points by squared error, accepted by description length.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "../exponential.hpp"
#include "../tie.hpp"
#include "cuts.hpp"

namespace tamis {

/// Accepted cut points of a sorted column x (n) whose target, centred and scaled, has running sums and squares (n + 1).
///
/// A stretch of n rows with the sum of squares R around its mean is cut where the sum R' around the two means is least, if
/// n/2 log((R + 1) / (R' + 1)) > log(n - 1) + 1/2 log n.
inline std::vector<double> squared_error_cuts(std::span<const double> x, std::span<const double> sums,
                                              std::span<const double> squares, int64_t max_cuts) {
    const auto best_cut = [&](int64_t begin, int64_t end) {
        const int64_t n = end - begin;
        const double total = sums[end] - sums[begin], level = n > 0 ? total * total / double(n) : 0.0;
        const double tie = TIE * double(n);  // the target is scaled to a variance of 1
        Cut best{-1, -std::numeric_limits<double>::infinity()};
        for (int64_t i = begin; i + 1 < end; ++i) {
            if (x[i] == x[i + 1]) continue;
            const double left = sums[i + 1] - sums[begin], right = total - left;
            const double gain = left * left / double(i + 1 - begin) + right * right / double(end - 1 - i) - level;
            if (gain > best.gain + tie) best = {i, gain};
        }
        if (best.row < 0) return Cut{};
        const double before = std::max(squares[end] - squares[begin] - level, 0.0), after = std::max(before - best.gain, 0.0);
        const double shorter = 0.5 * double(n) * natural_log((before + 1.0) / (after + 1.0));
        return shorter > natural_log(double(n) - 1.0) + 0.5 * natural_log(double(n)) ? best : Cut{};
    };
    return cut_recursively(int64_t(x.size()), max_cuts, best_cut, [&] { return x.data(); });
}

}  // namespace tamis
