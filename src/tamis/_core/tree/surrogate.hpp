#pragma once
// Surrogate splits: other columns that send rows the way the primary split does.
//
// Agreement of a surrogate is the weight of rows it sends to the same side as the primary split, divided by the weight of all rows that
// the primary split can place; adjusted, it is measured from the majority side upwards: (agreement - majority) / (1 - majority). At least
// two rows must go each way. (Breiman et al. 1984; as in rpart.)
#include "keys.hpp"
#include "scan_blocks.hpp"
#include "scan_numbers.hpp"

namespace tamis::cart {

/// The cut of a column that agrees best with the primary split.
struct Agreement {
    double weight = 0.0;  // that goes the same way
    int64_t cut = -2, upper = -2;
    bool flip = false;
};

/// Agreement of a column from the weight that goes left and right in each code: stats (codes, width), rows (codes).
inline Agreement agree_by_table(const CodeSpan& span, const double* stats, size_t width, const int64_t* table_rows, const SideWeights& sides) {
    Agreement best{std::max(sides.left, sides.right)};
    double same = 0.0, cross = 0.0;
    int64_t rows = 0, last = span.low;
    for (size_t code = 0; code < span.size(); ++code) {
        if (table_rows[code] == 0) continue;
        const double as_is = same + (sides.right - cross), flipped = cross + (sides.left - same);
        if (rows >= 2 && span.n - rows >= 2 && (as_is > best.weight || flipped > best.weight)) {
            best = {std::max(as_is, flipped), last, int64_t(code) + span.low, !(as_is > best.weight)};
        }
        same += stats[code * width];
        cross += stats[code * width + 1];
        rows += table_rows[code];
        last = int64_t(code) + span.low;
    }
    return best;
}

/// The same from rows in order. side and weight: by place in the node.
inline Agreement agree_by_rows(const SortedKeys& order, const Side* side, const double* weight, const SideWeights& sides) {
    Agreement best{std::max(sides.left, sides.right)};
    double same = 0.0, cross = 0.0;
    for (size_t p = 0; p + 2 < order.size(); ++p) {
        const size_t i = order.row(p);
        (side[i] == LEFT ? same : cross) += weight[i];
        if (p == 0 || !order.ends_code(p)) continue;
        const double as_is = same + (sides.right - cross), flipped = cross + (sides.left - same);
        if (as_is > best.weight || flipped > best.weight) {
            best = {std::max(as_is, flipped), order.code(p), order.code(p + 1), !(as_is > best.weight)};
        }
    }
    return best;
}

/// A level goes with the majority of its rows, a tied one with the majority of all; returns its agreeing weight.
inline double place_level(int64_t level, double same, double cross, const SideWeights& sides, std::vector<LevelSide>& levels) {
    const bool goes_left = same > cross || (same == cross && sides.left > sides.right);
    levels.push_back({level, goes_left ? LEFT : RIGHT});
    return goes_left ? same : cross;
}

/// Agreement of a categorical column, whose levels are placed.
inline double agree_by_levels(const SortedKeys& order, const Side* side, const double* weight, const SideWeights& sides,
                              std::vector<LevelSide>& levels) {
    double agree = 0.0, same = 0.0, cross = 0.0;
    for (size_t p = 0; p < order.size(); ++p) {
        const size_t i = order.row(p);
        (side[i] == LEFT ? same : cross) += weight[i];
        if (p + 1 == order.size() || order.ends_code(p)) {
            agree += place_level(order.code(p), same, cross, sides, levels);
            same = cross = 0.0;
        }
    }
    return agree;
}

/// The best surrogates of a split so far, best first; of equal ones the column tried first comes first.
class SurrogateList {
public:
    SurrogateList(size_t max_size, const SideWeights& sides)
        : max_size_(max_size), total_(sides.left + sides.right), majority_(std::max(sides.left, sides.right)) {}

    std::vector<Surrogate> surrogates;

    /// The weight that a further surrogate must exceed.
    double bar() const {
        const double bar = majority_ * (1.0 + ROUNDING);
        return surrogates.size() < max_size_ ? bar : std::max(bar, surrogates.back().agreement * total_ * (1.0 - ROUNDING));
    }

    void add(int64_t column, const Agreement& found, std::vector<LevelSide> levels) {
        if (found.weight <= bar()) return;
        const double share = found.weight / total_;
        auto at = surrogates.end();
        while (at != surrogates.begin() && (at - 1)->agreement < share) --at;
        const double adjusted = (found.weight - majority_) / (total_ - majority_);
        surrogates.insert(at, {column, found.cut, found.upper, found.flip, share, adjusted, std::move(levels)});
        if (surrogates.size() > max_size_) surrogates.pop_back();
    }

private:
    static constexpr double ROUNDING = 1e-10;
    size_t max_size_;
    double total_, majority_;
};

/// Row of the second placed row from one end, as a position in the order; -1 when there is none.
template <class Code>
int64_t second_placed(const OrderedRows<Code>& order, const int8_t* direction, bool from_end) {
    int seen = 0;
    const int64_t n = int64_t(order.size());
    for (int64_t q = 0; q < n; ++q) {
        const int64_t p = from_end ? n - 1 - q : q;
        seen += direction[order.row(size_t(p))] & 1;
        if (seen == 2) return p;
    }
    return -1;
}

/// Agreement of a column whose rows are in order, the first n have a value; none up to `bar`.
///
/// The weight that agrees is that on the right plus the running sum of (left - right), or that on the left minus it: the highest and the
/// lowest running sum decide. direction: 1 left, -1 right, 0 not placed, by row. unit: the weight of every row; 0 where rows differ.
template <class Code>
Agreement agree_by_order(OrderedRows<Code> order, size_t n, const int8_t* direction, const double* weight, double unit,
                         SideWeights sides, double bar, int32_t* tally) {
    int64_t placed = 0, apart = 0;
    for (size_t p = order.size(); p-- > n;) {
        const size_t row = order.row(p);
        placed += direction[row] & 1;
        apart += direction[row];
        if (unit == 0.0) {
            if (direction[row] > 0) sides.left -= weight[row];
            if (direction[row] < 0) sides.right -= weight[row];
        }
    }
    sides.left -= unit * double((placed + apart) >> 1);
    sides.right -= unit * double((placed - apart) >> 1);
    order = order.head(n);
    bar = std::max({bar, sides.left, sides.right});
    if (sides.left + sides.right <= bar) return {};
    const int64_t first = second_placed(order, direction, false), last = second_placed(order, direction, true);
    if (first < 0 || first >= last) return {};
    double as_is, flipped;
    int64_t high_at, low_at;
    if (unit > 0.0) {
        const int32_t high = int32_t((bar - sides.right) / unit + 1e-6), low = int32_t((sides.left - bar) / unit - 1e-6);
        const auto found = scan_directions(order, direction, tally, size_t(first), size_t(last), high, low);
        as_is = sides.right + unit * found.high;
        flipped = sides.left - unit * found.low;
        high_at = found.high_at;
        low_at = found.low_at;
    } else {
        const auto found = scan_weighted(order, direction, weight, size_t(first), size_t(last));
        as_is = sides.right + found.high;
        flipped = sides.left - found.low;
        high_at = found.high_at;
        low_at = found.low_at;
    }
    const double best = std::max(high_at >= 0 ? as_is : 0.0, low_at >= 0 ? flipped : 0.0);
    if (best <= bar) return {};
    const bool flip = high_at < 0 || as_is < best || (low_at >= 0 && flipped == best && low_at < high_at);
    size_t before = size_t(flip ? low_at : high_at), after = before + 1;  // beside the cut, among the rows that are placed
    while (direction[order.row(before)] == 0) --before;
    while (direction[order.row(after)] == 0) ++after;
    return {best, order.code(before), order.code(after), flip};
}

}  // namespace tamis::cart
