#pragma once
// Rows of a node divided between its children, in place.
#include <algorithm>
#include <cstddef>

namespace tamis {

/// A stretch that is divided, and room for the part of it that goes right.
template <class Item>
struct Stretch {
    Item* items;
    Item* moved;

    void place(size_t i, size_t left, size_t right) const {
        const Item item = items[i];
        items[left] = item;
        moved[right] = item;
    }
    void append(size_t n_left, size_t n_right) const { std::copy_n(moved, n_right, items + n_left); }
};

template <class Item>
Stretch(Item*, Item*) -> Stretch<Item>;

/// Items that go left first, the others after them, both in their order; returns how many go left. goes_right(i): of item i.
///
/// Both places are written and one of them moves on: a branch on an item's side would be mispredicted every other time.
template <class GoesRight, class... Item>
size_t divide(size_t n, GoesRight goes_right, const Stretch<Item>&... stretches) {
    size_t n_left = 0, n_right = 0;
    for (size_t i = 0; i < n; ++i) {
        const size_t right = goes_right(i);
        (stretches.place(i, n_left, n_right), ...);
        n_left += 1 - right;
        n_right += right;
    }
    (stretches.append(n_left, n_right), ...);
    return n_left;
}

}  // namespace tamis
