#pragma once
// Blocks of coded rows of a table larger than memory: down the splits made so far, then counted at the nodes of a level.
#include <cstdint>
#include <span>

#include "problem.hpp"

namespace tamis::cart {

/// Splits as tables of sides: a node asks its rules one after the other, the split first, then its surrogates.
struct CodeRoutes {
    std::span<const int64_t> left;        // (nodes): left child, the right one follows; -1: none
    std::span<const uint8_t> side;        // (nodes): of rows that no rule places
    std::span<const int64_t> first_rule;  // (nodes + 1)
    std::span<const int64_t> column;      // (rules)
    std::span<const uint8_t> rule_side;   // (rules, 256): LEFT, RIGHT or UNKNOWN of each code

    uint8_t side_by(size_t rule, const uint8_t* codes) const { return rule_side[256 * rule + codes[column[rule]]]; }

    /// The node that a row reaches.
    size_t node_of(const uint8_t* codes) const {
        size_t node = 0;
        while (left[node] >= 0) {
            uint8_t to = UNKNOWN;
            for (int64_t rule = first_rule[node]; rule < first_rule[node + 1] && to == UNKNOWN; ++rule) to = side_by(size_t(rule), codes);
            node = size_t(left[node]) + (to == UNKNOWN ? side[node] : to);
        }
        return node;
    }
};

/// Rows of a block, and the nodes that are counted.
struct CodeBlock {
    const uint8_t* codes;  // (rows, columns)
    size_t n_rows, n_columns;
    const CodeRoutes& routes;
    std::span<const int64_t> slot_of;  // (nodes): the node's place among those that are counted; -1: it is not
    std::span<const int64_t> offset;   // (columns + 1): where the codes of each column begin among those of all

    const uint8_t* row(size_t i) const { return codes + i * n_columns; }
    size_t n_codes() const { return size_t(offset[n_columns]); }

    /// body(row, slot, codes) for rows that are used and reach a node with a slot.
    template <class IsUsed, class Body>
    void each_row(IsUsed is_used, Body body) const {
        for (size_t i = 0; i < n_rows; ++i) {
            if (!is_used(i)) continue;
            const int64_t slot = slot_of[routes.node_of(row(i))];
            if (slot >= 0) body(i, size_t(slot), row(i));
        }
    }
};

/// counts (slots, codes, classes): rows of each class; a class below 0 stands for none.
inline void count_classes(const CodeBlock& block, std::span<const int32_t> classes, size_t n_classes, uint32_t* counts) {
    block.each_row([&](size_t i) { return classes[i] >= 0; },
                   [&](size_t i, size_t slot, const uint8_t* codes) {
                       uint32_t* own = counts + slot * block.n_codes() * n_classes + size_t(classes[i]);
                       for (size_t j = 0; j < block.n_columns; ++j) ++own[size_t(block.offset[j] + codes[j]) * n_classes];
                   });
}

/// sums (slots, codes, 3): rows, Σ high bits and Σ low bits of the fixed-point targets; squared (slots, 2): those of the squares; extremes
/// (slots, 2): smallest and largest target. A whole number is summed as its high bits and its low 31: neither sum overflows. A target below
/// -2^62 stands for none.
inline void sum_numbers(const CodeBlock& block, std::span<const int64_t> fixed, std::span<const int64_t> squares, int64_t* sums,
                        int64_t* squared, int64_t* extremes) {
    constexpr int LIMB = 31;
    constexpr int64_t LOW_BITS = (int64_t(1) << LIMB) - 1, NONE = -(int64_t(1) << 62);
    block.each_row([&](size_t i) { return fixed[i] > NONE; },
                   [&](size_t i, size_t slot, const uint8_t* codes) {
                       const int64_t q = fixed[i];
                       squared[2 * slot] += squares[i] >> LIMB;
                       squared[2 * slot + 1] += squares[i] & LOW_BITS;
                       extremes[2 * slot] = std::min(extremes[2 * slot], q);
                       extremes[2 * slot + 1] = std::max(extremes[2 * slot + 1], q);
                       for (size_t j = 0; j < block.n_columns; ++j) {
                           int64_t* own = sums + 3 * (slot * block.n_codes() + size_t(block.offset[j] + codes[j]));
                           own[0] += 1;
                           own[1] += q >> LIMB;
                           own[2] += q & LOW_BITS;
                       }
                   });
}

/// counts (slots, codes, 2): rows on each side of their node's split, the rule primary[slot]. Nodes with a slot are leaves of the routes.
inline void count_sides(const CodeBlock& block, std::span<const bool> is_used, std::span<const int64_t> primary, uint32_t* counts) {
    block.each_row([&](size_t i) { return is_used[i]; },
                   [&](size_t, size_t slot, const uint8_t* codes) {
                       const uint8_t side = block.routes.side_by(size_t(primary[slot]), codes);
                       if (side == UNKNOWN) return;
                       uint32_t* own = counts + slot * block.n_codes() * 2 + side;
                       for (size_t j = 0; j < block.n_columns; ++j) ++own[2 * size_t(block.offset[j] + codes[j])];
                   });
}

/// rows[ends[slot]…]: the numbers of the rows at each node that has a slot; `ends` moves on. first: the number of the block's first row.
inline void list_rows(const CodeBlock& block, std::span<const bool> is_used, int64_t first, int64_t* ends, int64_t* rows) {
    block.each_row([&](size_t i) { return is_used[i]; },
                   [&](size_t i, size_t slot, const uint8_t*) { rows[ends[slot]++] = first + int64_t(i); });
}

}  // namespace tamis::cart
