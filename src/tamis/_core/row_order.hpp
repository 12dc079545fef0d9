#pragma once
// Rows in the order of a column's codes; a 64-bit digest of every row, a column at a time; and codes in the order of the digests.
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "rng.hpp"

namespace tamis {

/// Sort rows by their codes, equal ones as they are: radix sort on digits of 16 bits, one pass for most columns.
template <class Code, class Row>
void sort_by_code(const Code* codes, size_t highest, std::span<Row> rows, std::vector<Row>& moved, std::vector<uint32_t>& counts) {
    for (unsigned shift = 0; shift == 0 || highest >> shift; shift += 16) {
        const size_t digits = std::min<size_t>((highest >> shift) + 1, size_t(1) << 16);
        counts.assign(digits + 1, 0);
        auto digit = [&](Row row) { return (size_t(codes[row]) >> shift) & 0xFFFF; };
        for (const Row row : rows) ++counts[digit(row) + 1];
        for (size_t d = 1; d < digits; ++d) counts[d] += counts[d - 1];
        for (const Row row : rows) moved[counts[digit(row)]++] = row;
        std::copy_n(moved.begin(), rows.size(), rows.begin());
    }
}

/// A mixer of its own, not SplitMix64: rows are put in the order of these digests, and every sum of a forest in the order of its rows,
/// so other bits here would be another forest.
constexpr uint64_t mix_row(uint64_t x) {
    x ^= x >> 32;
    x *= 0xD6E8FEB86659FD93ULL;
    x ^= x >> 29;
    return x * 0xA0761D6478BD642FULL;
}

inline constexpr size_t TILE_ROWS = 256, TILE_COLUMNS = 32;

/// Stir codes (columns, rows) into the digests of the rows, some rows at a time: their digests stay at hand.
template <class Code>
void hash_codes(const Code* codes, size_t n_columns, size_t n_rows, uint64_t* digest) {
    for (size_t begin = 0; begin < n_rows; begin += TILE_ROWS) {
        for (size_t j = 0; j < n_columns; ++j) {
            const Code* line = codes + j * n_rows;
            for (size_t i = begin; i < std::min(begin + TILE_ROWS, n_rows); ++i) digest[i] = mix_row(digest[i] + line[i] + GOLDEN);
        }
    }
}

/// Stir words of 64 bits into as many lanes as there are: 7 times faster than a hash that resists attacks.
inline void fold_words(std::span<const uint64_t> words, std::span<uint64_t> lanes) {
    for (size_t i = 0; i < words.size(); i += lanes.size()) {
        for (size_t q = 0; q < std::min(lanes.size(), words.size() - i); ++q) {
            const uint64_t x = (lanes[q] ^ words[i + q]) * 0xD6E8FEB86659FD93ULL;
            lanes[q] = x ^ (x >> 32);
        }
    }
}

/// Codes (columns, rows) with their rows in the order given, column by column and row by row, a tile of both at a time.
template <class Code, class Narrow>
void arrange_codes(const Code* codes, std::span<const int64_t> order, size_t n_columns, Narrow* by_column, Narrow* by_row) {
    const size_t n_rows = order.size();
    for (size_t first = 0; first < n_columns; first += TILE_COLUMNS) {
        for (size_t begin = 0; begin < n_rows; begin += TILE_ROWS) {
            for (size_t j = first; j < std::min(first + TILE_COLUMNS, n_columns); ++j) {
                for (size_t i = begin; i < std::min(begin + TILE_ROWS, n_rows); ++i) {
                    const Narrow code = Narrow(codes[j * n_rows + size_t(order[i])]);
                    by_column[j * n_rows + i] = code;
                    by_row[i * n_columns + j] = code;
                }
            }
        }
    }
}

}  // namespace tamis
