#pragma once
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace tamis {

/// The levels that go left at a categorical split: a bit for each, or a list of the few that differ from the rest.
///
/// While a node is divided its set is bits. In the tree it is kept in whichever form is shorter: bits from the word on that the
/// split's threshold says; or, with a threshold below zero, from the word -1 - threshold on a list. The first word of a list is
/// twice its length, plus 1 if all other levels go left; then come the listed levels in order, four to a word. Without lists every
/// split on a column of 30,000 levels would take 4 kB.
class LevelSet {
public:
    /// Words of the bits of n_values levels and the missing one.
    static size_t n_words(int64_t n_values) { return size_t(n_values >> 6) + 1; }

    void clear(int64_t n_values, bool all) { bits_.assign(n_words(n_values), all ? ~uint64_t(0) : 0); }
    void insert(uint64_t level) { bits_[level >> 6] |= uint64_t(1) << (level & 63); }
    void erase(uint64_t level) { bits_[level >> 6] &= ~(uint64_t(1) << (level & 63)); }
    bool has(uint64_t level) const { return (bits_[level >> 6] >> (level & 63)) & 1; }

    /// Append the set to the words of a tree that begin at `base`; returns the split's threshold. rest_left: whether levels that
    /// the node lacks go left.
    double append_to(std::vector<uint64_t>& sets, size_t base, bool rest_left) const {
        const uint64_t rest = rest_left ? ~uint64_t(0) : 0;
        size_t n = 0;
        for (const uint64_t word : bits_) n += size_t(std::popcount(word ^ rest));
        const double place = double(sets.size() - base);
        if (1 + (n + 3) / 4 >= bits_.size()) {
            sets.insert(sets.end(), bits_.begin(), bits_.end());
            return place;
        }
        sets.push_back((uint64_t(n) << 1) | uint64_t(rest_left));
        n = 0;
        for (size_t k = 0; k < bits_.size(); ++k) {
            for (uint64_t word = bits_[k] ^ rest; word != 0; word &= word - 1, ++n) {
                const uint64_t level = (k << 6) + uint64_t(std::countr_zero(word));
                if (n % 4 == 0) sets.push_back(0);
                sets.back() |= level << (16 * (n % 4));
            }
        }
        return -1.0 - place;
    }

private:
    std::vector<uint64_t> bits_;
};

/// Whether a level goes left at a split of this threshold; sets: the words of its tree.
inline bool goes_left(std::span<const uint64_t> sets, double threshold, int64_t level) {
    const int64_t place = int64_t(threshold);
    if (place >= 0) return (sets[size_t(place + (level >> 6))] >> (level & 63)) & 1;
    const uint64_t* list = &sets[size_t(-1 - place)];
    const bool rest_left = list[0] & 1;
    int64_t low = 0, high = int64_t(list[0] >> 1);
    while (low < high) {
        const int64_t middle = (low + high) >> 1;
        const int64_t listed = int64_t((list[1 + (middle >> 2)] >> ((middle & 3) << 4)) & 0xFFFF);
        if (listed == level) return !rest_left;
        if (listed < level) low = middle + 1;
        else high = middle;
    }
    return rest_left;
}

}  // namespace tamis
