#pragma once
// The order in which the nodes of a tree are split, and the loop that every tree is grown by.
#include <algorithm>
#include <cstddef>
#include <vector>

#include "threads.hpp"

namespace tamis {

enum class Order { DEPTH_FIRST, BEST_FIRST };

/// A node that waits to be split, and what its split gains.
struct Waiting {
    size_t node;
    double gain = 0.0;
};

/// Nodes that wait. Depth first, the latest is next; best first, the one that gains most, of equals the one of the lowest number.
template <class Item = Waiting>
class Frontier {
public:
    explicit Frontier(Order order = Order::DEPTH_FIRST) : order_(order) {}

    bool empty() const { return items_.empty(); }
    const std::vector<Item>& items() const { return items_; }
    void clear() { items_.clear(); }

    void push(const Item& item) {
        items_.push_back(item);
        if (order_ == Order::BEST_FIRST) std::push_heap(items_.begin(), items_.end(), is_later);
    }

    Item next() {
        if (order_ == Order::BEST_FIRST) std::pop_heap(items_.begin(), items_.end(), is_later);
        const Item item = items_.back();
        items_.pop_back();
        return item;
    }

private:
    static bool is_later(const Item& a, const Item& b) { return a.gain != b.gain ? a.gain < b.gain : a.node > b.node; }

    Order order_;
    std::vector<Item> items_;
};

/// Grow a tree from the nodes that wait, as long as it has fewer than max_leaves. split(item): makes two leaves of a node and lets
/// those that can be split wait; false where it stays a leaf.
template <class Item, class Split>
void grow_nodes(Frontier<Item>& frontier, size_t max_leaves, const Interrupt& interrupt, Split split) {
    for (size_t n_leaves = 1; n_leaves < max_leaves && !frontier.empty() && !interrupt.requested();) n_leaves += split(frontier.next());
}

}  // namespace tamis
