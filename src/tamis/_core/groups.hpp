#pragma once
// The named tuples of tamis.forest.layout and tamis.views.binned, as the core takes them.
#include "arrays.hpp"
#include "bootstrap.hpp"
#include "forest.hpp"
#include "route.hpp"

namespace tamis {

/// Codes of one or two bytes: (n_lines, stride).
inline CodeMatrix code_matrix_of(nb::handle group, const char* name, size_t n_lines, Owners& owners) {
    nb::object value = group.attr(name);
    nb::ndarray<nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu> array;
    if (!nb::try_cast(value, array, false) || array.dtype().code != uint8_t(nb::dlpack::dtype_code::UInt) || array.itemsize() > 2) {
        throw nb::type_error("codes are a C-ordered matrix of uint8 or uint16");
    }
    check_size(array.shape(0), n_lines, name);
    const CodeMatrix codes{array.data(), array.shape(1), array.itemsize()};
    owners.push_back(std::move(value));
    owners.push_back(nb::cast(array));
    return codes;
}

/// reads_rows: whether the codes are also there row by row.
inline BinnedTable binned_table_of(nb::handle group, Owners& owners, bool reads_rows = true) {
    BinnedTable table{};
    table.n_values = span_of<int32_t>(group, "n_values", owners);
    table.codes = code_matrix_of(group, "codes", table.n_columns(), owners);
    table.n_rows = table.codes.stride;
    if (reads_rows) table.by_row = code_matrix_of(group, "by_row", table.n_rows, owners);
    table.missing = span_of<bool>(group, "missing", owners);
    table.category = span_of<bool>(group, "category", owners);
    table.first = span_of<int64_t>(group, "first", owners);
    table.low = span_of<double>(group, "low", owners);
    table.high = span_of<double>(group, "high", owners);
    const size_t d = table.n_columns();
    check_size(table.missing.size(), d, "missing");
    check_size(table.category.size(), d, "category");
    check_size(table.first.size(), d + 1, "first");
    check_size(table.low.size(), size_t(table.first[d]), "low");
    check_size(table.high.size(), size_t(table.first[d]), "high");
    if (reads_rows) {
        if (table.by_row.width != table.codes.width) throw nb::type_error("by_row and codes are of one type");
        check_size(table.by_row.stride, d, "by_row");
    }
    return table;
}

inline Target target_of(nb::handle group, Owners& owners) {
    Target target{};
    target.n_classes = nb::cast<size_t>(group.attr("n_classes"));
    target.classes = span_of<int32_t>(group, "classes", owners);
    target.values = span_of<double, 2>(group, "values", owners);
    target.n_targets = nb::cast<size_t>(group.attr("values").attr("shape")[nb::int_(1)]);
    target.weight = span_of<double>(group, "weight", owners);
    target.worth = span_of<double>(group, "worth", owners);
    target.codes = span_of<double, 2>(group, "codes", owners);
    target.n_codes = nb::cast<size_t>(group.attr("codes").attr("shape")[nb::int_(1)]);
    const size_t n = target.weight.size();
    if (target.n_classes) check_size(target.classes.size(), n, "classes");
    if (target.n_classes) check_size(target.worth.size(), target.n_classes, "worth");
    if (!target.codes.empty()) check_size(target.codes.size(), target.n_classes * target.n_codes, "codes");
    if (target.n_classes == 0 || target.n_classes == 2) check_size(target.values.size(), n * target.n_targets, "values");
    return target;
}

inline TargetCosts costs_of(nb::handle group, Owners& owners) {
    TargetCosts costs{};
    costs.n_classes = nb::cast<size_t>(group.attr("n_classes"));
    costs.classes = span_of<int32_t>(group, "classes", owners);
    costs.values = span_of<double, 2>(group, "values", owners);
    costs.n_targets = nb::cast<size_t>(group.attr("values").attr("shape")[nb::int_(1)]);
    costs.weight = span_of<double>(group, "weight", owners);
    costs.loss = span_of<double, 2>(group, "loss", owners);
    costs.majority = nb::cast<bool>(group.attr("majority"));
    const size_t n = costs.weight.size();
    if (costs.n_classes) check_size(costs.classes.size(), n, "classes");
    if (costs.n_classes) check_size(costs.loss.size(), costs.n_classes * costs.n_classes, "loss");
    if (!costs.n_classes) check_size(costs.values.size(), n * costs.n_targets, "values");
    return costs;
}

/// `monotone` of a group of limits: a direction a column, or none.
inline std::span<const int8_t> directions_of(nb::handle group, size_t n_columns, Owners& owners) {
    const std::span<const int8_t> directions = span_of<int8_t>(group, "monotone", owners);
    if (!directions.empty()) check_size(directions.size(), n_columns, "monotone");
    return directions;
}

inline Limits limits_of(nb::handle group, size_t n_columns, Owners& owners) {
    auto whole = [&](const char* name) { return nb::cast<int64_t>(group.attr(name)); };
    return {whole("max_features"), whole("max_depth"), whole("min_split"), whole("min_leaf"),
            nb::cast<double>(group.attr("min_share")), nb::cast<bool>(group.attr("random_cut")), whole("max_rows"), 0.0,
            directions_of(group, n_columns, owners)};
}

inline Draws draws_of(nb::handle group, size_t n_rows, Owners& owners) {
    Draws draws{};
    draws.population = span_of<uint32_t>(group, "population", owners);
    draws.strata = span_of<int64_t>(group, "strata", owners);
    draws.sizes = span_of<int64_t>(group, "sizes", owners);
    draws.replace = nb::cast<bool>(group.attr("replace"));
    draws.step = nb::cast<int64_t>(group.attr("step"));
    check_size(draws.strata.size(), draws.sizes.size() + 1, "strata");
    check_size(draws.population.size(), size_t(draws.strata.back()), "population");
    for (const uint32_t row : draws.population) {
        if (row >= n_rows) throw std::invalid_argument("population names a row that the table lacks");
    }
    return draws;
}

/// Nodes as words of 64 bits, two each.
inline nb::ndarray<nb::numpy, int64_t> nodes_array(const std::vector<Node>& nodes) {
    std::vector<int64_t> words(2 * nodes.size());
    if (!nodes.empty()) std::memcpy(words.data(), nodes.data(), words.size() * sizeof(int64_t));
    return array_of(std::move(words));
}

inline Forest forest_of(nb::handle group, Owners& owners) {
    Forest forest{};
    nb::object nodes = group.attr("nodes").attr("view")("i8");
    Array<int64_t, 1> words = nb::cast<Array<int64_t, 1>>(nodes);
    owners.push_back(nodes);
    forest.nodes = {reinterpret_cast<const Node*>(words.data()), words.size() / 2};
    forest.roots = span_of<int64_t>(group, "roots", owners);
    forest.table = span_of<double, 2>(group, "table", owners);
    forest.width = nb::cast<size_t>(group.attr("table").attr("shape")[nb::int_(1)]);
    forest.sets = span_of<uint64_t>(group, "sets", owners);
    forest.sum_column = span_of<int64_t, 2>(group, "sum_column", owners);
    forest.sum_factor = span_of<double, 2>(group, "sum_factor", owners);
    forest.sum_width = nb::cast<size_t>(group.attr("sum_column").attr("shape")[nb::int_(1)]);
    check_size(forest.sum_factor.size(), forest.sum_column.size(), "sum_factor");
    if (forest.roots.empty() || size_t(forest.roots.back()) > forest.nodes.size()) {
        throw std::invalid_argument("roots and nodes do not belong together");
    }
    return forest;
}

}  // namespace tamis
