// Recursive cutting of a column: the interval of the largest gain is cut first, while any gain is accepted.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../frontier.hpp"

namespace tamis {

/// The best row to cut behind, and its gain; a gain below 0 where no cut is accepted.
struct Cut {
    int64_t row = -1;
    double gain = -1.0;
};

/// The middle of x[row] and x[row + 1], always below the latter.
inline double midpoint(const double* x, int64_t row) {
    const double cut = x[row] + 0.5 * (x[row + 1] - x[row]);
    return cut < x[row + 1] ? cut : x[row];
}

/// Cut points in the order of their gains, at most max_cuts. best_cut(begin, end) -> Cut of the rows begin ... end - 1;
/// x() -> values, in order around every row that is cut behind.
template <class BestCut, class Values>
std::vector<double> cut_recursively(int64_t n_rows, int64_t max_cuts, BestCut best_cut, Values x) {
    struct Interval {
        int64_t begin, end;
        Cut cut;
    };
    std::vector<Interval> intervals;
    std::vector<double> cuts;
    Frontier<> frontier(Order::BEST_FIRST);
    auto look_at = [&](size_t k, int64_t begin, int64_t end) {
        if (intervals.size() == k) intervals.emplace_back();
        intervals[k] = {begin, end, best_cut(begin, end)};
        if (intervals[k].cut.gain >= 0.0) frontier.push({k, intervals[k].cut.gain});
    };
    look_at(0, 0, n_rows);
    grow_nodes(frontier, size_t(max_cuts) + 1, Interrupt{}, [&](const Waiting& item) {
        const auto [begin, end, cut] = intervals[item.node];
        cuts.push_back(midpoint(x(), cut.row));
        look_at(item.node, begin, cut.row + 1);
        look_at(intervals.size(), cut.row + 1, end);
        return true;
    });
    return cuts;
}

}  // namespace tamis
