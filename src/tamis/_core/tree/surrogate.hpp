#pragma once
// Surrogate splits: other columns that send rows the way the primary split does.
//
// Agreement of a surrogate is the weight of rows it sends to the same side as the primary split, divided by the weight of all rows that
// the primary split can place; adjusted, it is measured from the majority side upwards: (agreement - majority) / (1 - majority). At least
// two rows must go each way, as weights of whole numbers are copies of rows: see min_side_weight. (Breiman et al. 1984; as in rpart.)
#include "keys.hpp"
#include "scan_blocks.hpp"
#include "scan_numbers.hpp"

namespace tamis::cart {

/// The least weight on either side of a surrogate: of two rows. Whole weights count rows; others have a mean row.
template <class Indices>
double min_side_weight(std::span<const double> weight, const Indices& rows) {
    double total = 0.0;
    bool are_whole = true;
    for (const auto row : rows) {
        total += weight[row];
        are_whole = are_whole && weight[row] == std::floor(weight[row]);
    }
    return (are_whole ? 2.0 : 2.0 * total / double(rows.size())) * (1.0 - 1e-9);
}

/// The cut of a column that agrees best with the primary split.
struct Agreement {
    double weight = 0.0;  // that goes the same way
    int64_t cut = -2, upper = -2;
    bool flip = false;
};

/// Agreement of a column from the weight that goes left and right in each code: stats (codes, width), rows (codes).
inline Agreement agree_by_table(const CodeSpan& span, const double* stats, size_t width, const int64_t* table_rows, const SideWeights& sides,
                                double min_weight) {
    Agreement best{std::max(sides.left, sides.right)};
    const double total = sides.left + sides.right;
    double same = 0.0, cross = 0.0;
    int64_t last = span.low;
    for (size_t code = 0; code < span.size(); ++code) {
        if (table_rows[code] == 0) continue;
        const double as_is = same + (sides.right - cross), flipped = cross + (sides.left - same);
        const double below = same + cross;
        if (below >= min_weight && total - below >= min_weight && (as_is > best.weight || flipped > best.weight)) {
            best = {std::max(as_is, flipped), last, int64_t(code) + span.low, !(as_is > best.weight)};
        }
        same += stats[code * width];
        cross += stats[code * width + 1];
        last = int64_t(code) + span.low;
    }
    return best;
}

/// The same from rows in order. side and weight: by place in the node.
inline Agreement agree_by_rows(const SortedKeys& order, const Side* side, const double* weight, const SideWeights& sides, double min_weight) {
    Agreement best{std::max(sides.left, sides.right)};
    const double total = sides.left + sides.right;
    double same = 0.0, cross = 0.0;
    for (size_t p = 0; p + 1 < order.size(); ++p) {
        const size_t i = order.row(p);
        (side[i] == LEFT ? same : cross) += weight[i];
        if (!order.ends_code(p) || same + cross < min_weight || total - same - cross < min_weight) continue;
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

/// The first row from one end at which the placed rows weigh enough, as a position in the order; -1 when there is none.
template <class Code>
int64_t reach_weight(const OrderedRows<Code>& order, const int8_t* direction, const double* weight, double min_weight, bool from_end) {
    double sum = 0.0;
    const int64_t n = int64_t(order.size());
    for (int64_t q = 0; q < n; ++q) {
        const int64_t p = from_end ? n - 1 - q : q;
        const size_t row = order.row(size_t(p));
        if (direction[row] != 0) sum += weight[row];
        if (sum >= min_weight) return p;
    }
    return -1;
}

/// Agreement of a column whose rows are in order, the first n have a value; none up to `bar`.
///
/// The weight that agrees is that on the right plus the running sum of (left - right), or that on the left minus it: the highest and the
/// lowest running sum decide. direction: 1 left, -1 right, 0 not placed, by row. unit: the weight of every row; 0 where rows differ.
template <class Code>
Agreement agree_by_order(OrderedRows<Code> order, size_t n, const int8_t* direction, const double* weight, double unit,
                         SideWeights sides, double min_weight, double bar) {
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
    const int64_t first = reach_weight(order, direction, weight, min_weight, false);
    const int64_t last = reach_weight(order, direction, weight, min_weight, true);
    if (first < 0 || first >= last) return {};
    double as_is, flipped;
    int64_t high_at, low_at;
    auto keep = [&](const auto& found, double one) {
        as_is = sides.right + one * double(found.high);
        flipped = sides.left - one * double(found.low);
        high_at = found.high_at;
        low_at = found.low_at;
    };
    const size_t begin = size_t(first), end = size_t(last);
    if (unit > 0.0) {
        const int32_t high = int32_t((bar - sides.right) / unit + 1e-6), low = int32_t((sides.left - bar) / unit - 1e-6);
        keep(scan_directions(order, begin, end, high, low, [&](size_t row) { return int32_t(direction[row]); }), unit);
    } else {
        keep(scan_directions(order, begin, end, 0.0, 0.0, [&](size_t row) { return direction[row] * weight[row]; }), 1.0);
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
