// Recursive cutting of a column: the interval of the largest gain is cut first, while any gain is accepted.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

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
    std::vector<Interval> intervals{{0, n_rows, best_cut(0, n_rows)}};
    std::vector<double> cuts;
    while (int64_t(cuts.size()) < max_cuts) {
        size_t best = 0;
        for (size_t i = 1; i < intervals.size(); ++i)
            if (intervals[i].cut.gain > intervals[best].cut.gain) best = i;
        if (intervals[best].cut.gain < 0) break;
        const auto [begin, end, cut] = intervals[best];
        cuts.push_back(midpoint(x(), cut.row));
        intervals[best] = {begin, cut.row + 1, best_cut(begin, cut.row + 1)};
        intervals.push_back({cut.row + 1, end, best_cut(cut.row + 1, end)});
    }
    return cuts;
}

}  // namespace tamis
