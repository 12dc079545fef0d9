#pragma once
// Answers that rise or fall with a column: bounds are passed down a tree, as in scikit-learn and LightGBM's basic method.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

namespace tamis {

/// What every answer below a node must lie between.
struct Bounds {
    double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();

    double clamp(double answer) const { return std::min(std::max(answer, low), high); }
    bool hold(double answer) const { return answer >= low && answer <= high; }

    /// Bounds of both children, from what they would answer. monotone: of the split's column, 1 where answers may not fall, -1 where they
    /// may not rise, 0 where they are free.
    ///
    /// On a directed column all answers on one side lie up to the midpoint, those on the other from there on. Two rows that differ in such
    /// columns alone part at a split on one of them, so no pair of rows goes against it, whatever is split further down.
    std::pair<Bounds, Bounds> below(double left, double right, int monotone) const {
        const double middle = clamp(0.5 * (clamp(left) + clamp(right)));
        const Bounds lower{low, middle}, upper{middle, high};
        if (monotone == 0) return {*this, *this};
        return monotone > 0 ? std::pair(lower, upper) : std::pair(upper, lower);
    }
};

/// Which splits of a node on the column at hand may be made: on a directed one both children must answer within the node's bounds and in its
/// direction. On a free one any may be, and answers are held to the bounds, as in scikit-learn.
struct AllowedAnswers {
    Bounds bounds;
    int monotone = 0;   // of the column
    double base = 0.0;  // what is to be added to the answers of sums, which may be centred

    bool allows(double left, double right) const {
        return monotone == 0 || (bounds.hold(base + left) && bounds.hold(base + right) && monotone * (right - left) >= 0.0);
    }
};

/// directions: (columns), or empty where all are free.
inline int monotone_of(std::span<const int8_t> directions, size_t column) { return directions.empty() ? 0 : directions[column]; }

}  // namespace tamis
