// Scores of columns: counting, sums, Relief, pairs.
#include "bind_matrix.hpp"
#include "scores/best_split.hpp"
#include "scores/column_sums.hpp"
#include "scores/contingency.hpp"
#include "scores/pair_contingency.hpp"
#include "scores/pair_information.hpp"
#include "scores/relief.hpp"

namespace tamis {
namespace {

using namespace nb::literals;
using Release = nb::call_guard<nb::gil_scoped_release>;

TAMIS_WIDE void wide_distances(const Points& p, std::span<const int64_t> queries, Matrix<const int32_t> codes, NearestRows out) {
    nearest_rows(p, queries, codes, out);
}
TAMIS_WIDE void wide_hits(const Points& p, std::span<const int64_t> queries, Matrix<const int32_t> codes, NearestRows nearest,
                          std::span<const double> priors, Matrix<double> weights) {
    hits_and_misses(p, queries, codes, nearest, priors, weights);
}
TAMIS_WIDE void wide_sums_with_numbers(Matrix<const double> X, std::span<const double> weights, std::span<const double> y,
                                       std::span<const double> shift, std::span<double> sums, std::span<double> squares,
                                       std::span<double> products) {
    sums_with_numbers_of_columns(X, weights, y, shift, sums, squares, products);
}

/// Points with the arrays they read kept alive.
struct PointsHolder {
    Array2<const double> by_row, by_column;
    Array2<const int32_t> codes;
    Array2<const double> holed;
    Vector1<const bool> is_category;
    Vector1<const int32_t> groups;
    Array3<const double> expected, between;
    bool is_squared;

    Points points() const {
        return {view(by_row),      view(by_column), view(codes),    view(holed),
                view(is_category), view(groups),    view(expected), view(between), is_squared};
    }
};

using Lists = nb::ndarray<int32_t, nb::numpy, nb::ndim<4>, nb::c_contig, nb::device::cpu>;

NearestRows view_lists(const Lists& lists) {
    return {lists.data(), lists.shape(0), lists.shape(1), lists.shape(2), lists.shape(3)};
}

/// Columns and their codes, kept alive.
struct PairColumnsHolder {
    Array2<const uint16_t> codes;
    PairColumns columns;
    PairColumnsHolder(Array2<const uint16_t> codes, Vector1<const int64_t> sizes)
        : codes(codes), columns(view(codes), view(sizes)) {}
};

template <class Code>
void bind_weigh_codes(nb::module_& module) {
    module.def(
        "weigh_codes",
        [](Vector1<const Code> codes, Vector1<const int32_t> classes, Vector1<const double> weights, Array2<double> counts) {
            require(codes.shape(0) == classes.shape(0) && codes.shape(0) == weights.shape(0), "one class and weight per row");
            weigh_codes(view(codes), view(classes), view(weights), view(counts));
        },
        "codes"_a.noconvert(), "classes"_a, "weights"_a, "counts"_a.noconvert(), Release());
}

void bind_counting(nb::module_& module) {
    module.def(
        "count_classes",
        [](Array2<const uint16_t> codes, Vector1<const int64_t> first, Vector1<const int32_t> classes, Array2<double> counts) {
            require(codes.shape(1) == classes.shape(0) && first.shape(0) >= codes.shape(0), "one class per row");
            count_classes(view(codes), view(first), view(classes), view(counts));
        },
        "codes"_a, "first"_a, "classes"_a, "counts"_a.noconvert(), Release());
    module.def(
        "count_keys",
        [](Vector1<const uint32_t> keys, Vector1<const uint16_t> table, Vector1<const int32_t> classes, Array2<int64_t> counts) {
            require(keys.shape(0) == classes.shape(0), "one class per row");
            const auto below = [](auto values, size_t bound) {
                return std::all_of(values.begin(), values.end(), [bound](auto value) { return value < bound; });
            };
            require(below(view(keys), table.shape(0)), "a code for every key");
            require(below(view(table), counts.shape(0)), "a line for every code");
            count_keys(view(keys), view(table), view(classes), view(counts));
        },
        "keys"_a, "table"_a, "classes"_a, "counts"_a.noconvert(), Release());
    module.def(
        "weigh_classes",
        [](Array2<const uint16_t> codes, Vector1<const int64_t> first, Vector1<const int32_t> classes,
           Vector1<const double> weights, Array2<double> counts) {
            require(codes.shape(1) == classes.shape(0) && first.shape(0) >= codes.shape(0), "one class per row");
            require(codes.shape(1) == weights.shape(0), "one weight per row");
            weigh_classes(view(codes), view(first), view(classes), view(weights), view(counts));
        },
        "codes"_a, "first"_a, "classes"_a, "weights"_a, "counts"_a.noconvert(), Release());
    module.def(
        "group_lines",
        [](Array2<const double> sorted, Array2<const int64_t> order, Vector1<const int64_t> n_present,
           Vector1<const int64_t> n_distinct, Vector1<const int64_t> limits, Array2<uint16_t> codes, Vector1<int64_t> sizes) {
            require(sorted.shape(0) == codes.shape(0) && sorted.shape(1) == codes.shape(1), "a code per value");
            group_lines(view(sorted), view(order), view(n_present), view(n_distinct), view(limits), view(codes), view(sizes));
        },
        "sorted"_a, "order"_a, "n_present"_a, "n_distinct"_a, "limits"_a, "codes"_a.noconvert(), "sizes"_a.noconvert(), Release());
    bind_weigh_codes<uint8_t>(module);
    bind_weigh_codes<uint16_t>(module);
    bind_weigh_codes<int32_t>(module);
    bind_weigh_codes<uint32_t>(module);
    module.def("best_threshold", [](Array2<const double> counts) { return best_threshold(view(counts)); }, "counts"_a, Release());
    module.def("best_level_set", [](Array2<const double> counts) { return best_level_set(view(counts)); }, "counts"_a, Release());
    module.def(
        "shared_information",
        [](Array2<const uint16_t> codes, Vector1<const int64_t> sizes, size_t j, Vector1<const double> xlogx,
           Vector1<const double> entropy, Vector1<double> out) {
            require(j < codes.shape(0) && out.shape(0) == codes.shape(0) && xlogx.shape(0) > codes.shape(1), "a number per column");
            shared_information(view(codes), view(sizes), j, view(xlogx), view(entropy), view(out));
        },
        "codes"_a, "sizes"_a, "column"_a, "xlogx"_a, "entropy"_a, "out"_a.noconvert(), Release());
    module.def(
        "shared_information_within",
        [](Array2<const uint16_t> codes, Vector1<const int64_t> sizes, size_t j, Vector1<const int32_t> classes, size_t n_classes,
           Vector1<const double> xlogx, Vector1<double> out) {
            require(j < codes.shape(0) && out.shape(0) == codes.shape(0) && xlogx.shape(0) > codes.shape(1), "a number per column");
            shared_information_within(view(codes), view(sizes), j, view(classes), n_classes, view(xlogx), view(out));
        },
        "codes"_a, "sizes"_a, "column"_a, "classes"_a, "n_classes"_a, "xlogx"_a, "out"_a.noconvert(), Release());
}

void bind_sums(nb::module_& module) {
    module.def(
        "sums_by_class_of_rows",
        [](Array2<const double> X, Vector1<const double> weights, Vector1<const int32_t> classes, Vector1<const double> shift,
           Array2<double> sums, Vector1<double> squares) {
            sums_by_class_of_rows(view(X), view(weights), view(classes), view(shift), view(sums), view(squares));
        },
        "X"_a, "weights"_a, "classes"_a, "shift"_a, "sums"_a.noconvert(), "squares"_a.noconvert(), Release());
    module.def(
        "sums_with_numbers_of_rows",
        [](Array2<const double> X, Vector1<const double> weights, Vector1<const double> y, Vector1<const double> shift,
           Vector1<double> sums, Vector1<double> squares, Vector1<double> products) {
            sums_with_numbers_of_rows(view(X), view(weights), view(y), view(shift), view(sums), view(squares), view(products));
        },
        "X"_a, "weights"_a, "y"_a, "shift"_a, "sums"_a.noconvert(), "squares"_a.noconvert(), "products"_a.noconvert(), Release());
    module.def(
        "sums_by_class_of_columns",
        [](Array2<const double> X, Vector1<const double> weights, Vector1<const int32_t> classes, Vector1<const double> shift,
           Array2<double> sums, Vector1<double> squares) {
            sums_by_class_of_columns(view(X), view(weights), view(classes), view(shift), view(sums), view(squares));
        },
        "X"_a, "weights"_a, "classes"_a, "shift"_a, "sums"_a.noconvert(), "squares"_a.noconvert(), Release());
    module.def(
        "sums_with_numbers_of_columns",
        [](Array2<const double> X, Vector1<const double> weights, Vector1<const double> y, Vector1<const double> shift,
           Vector1<double> sums, Vector1<double> squares, Vector1<double> products) {
            wide_sums_with_numbers(view(X), view(weights), view(y), view(shift), view(sums), view(squares), view(products));
        },
        "X"_a, "weights"_a, "y"_a, "shift"_a, "sums"_a.noconvert(), "squares"_a.noconvert(), "products"_a.noconvert(), Release());
}

void bind_neighbours(nb::module_& module) {
    nb::class_<PointsHolder>(module, "Points", "The columns of a table, sorted by how their difference is taken.")
        .def(nb::init<Array2<const double>, Array2<const double>, Array2<const int32_t>, Array2<const double>, Vector1<const bool>,
                      Vector1<const int32_t>, Array3<const double>, Array3<const double>, bool>(),
             "by_row"_a, "by_column"_a, "codes"_a, "holed"_a, "is_category"_a, "groups"_a, "expected"_a, "between"_a,
             "is_squared"_a)
        .def_ro("holed", &PointsHolder::holed)
        .def_ro("is_category", &PointsHolder::is_category)
        .def_ro("expected", &PointsHolder::expected)
        .def_ro("between", &PointsHolder::between);
    module.def(
        "nearest_rows",
        [](const PointsHolder& points, Vector1<const int64_t> queries, Array2<const int32_t> codes, Lists out) {
            require(out.shape(0) == queries.shape(0) && out.shape(1) == codes.shape(0), "a list per query and target");
            wide_distances(points.points(), view(queries), view(codes), view_lists(out));
        },
        "points"_a, "queries"_a, "codes"_a, "out"_a.noconvert(), Release());
    module.def(
        "hits_and_misses",
        [](const PointsHolder& points, Vector1<const int64_t> queries, Array2<const int32_t> codes, Lists nearest,
           Vector1<const double> priors, Array2<double> weights) {
            wide_hits(points.points(), view(queries), view(codes), view_lists(nearest), view(priors), view(weights));
        },
        "points"_a, "queries"_a, "codes"_a, "nearest"_a, "priors"_a, "weights"_a.noconvert(), Release());
    module.def(
        "near_and_far",
        [](const PointsHolder& points, Vector1<const int64_t> queries, Array2<const double> y, Lists nearest,
           Vector1<double> target_differences, Vector1<double> column_differences, Array2<double> products) {
            near_and_far(points.points(), view(queries), view(y), view_lists(nearest), view(target_differences),
                         view(column_differences), view(products));
        },
        "points"_a, "queries"_a, "y"_a, "nearest"_a, "target_differences"_a.noconvert(), "column_differences"_a.noconvert(),
        "products"_a.noconvert(), Release());
}

void bind_pairs(nb::module_& module) {
    nb::class_<PairColumnsHolder>(module, "PairColumns", "Columns whose pairs are counted, groups of rows as bits.")
        .def(nb::init<Array2<const uint16_t>, Vector1<const int64_t>>(), "codes"_a, "sizes"_a)
        .def_prop_ro("n_words", [](const PairColumnsHolder& self) { return self.columns.words; });
    nb::class_<PairTargets>(module, "PairTargets", "Targets of the same class sizes, as pairs of columns are counted against.")
        .def("__init__",
             [](PairTargets* self, const PairColumnsHolder& columns, Array2<const int32_t> classes, size_t n_classes,
                Vector1<const double> xlogx) {
                 require(classes.shape(1) == columns.columns.n_rows() && xlogx.shape(0) > classes.shape(1), "a class per row");
                 new (self) PairTargets(columns.columns, view(classes), n_classes, view(xlogx));
             },
             "columns"_a, "classes"_a, "n_classes"_a, "xlogx"_a)
        .def_prop_ro("n_targets", [](const PairTargets& self) { return self.n_targets; });
    module.def(
        "count_used_cells",
        [](const PairColumnsHolder& columns, size_t first, size_t last, Array2<double> used) {
            count_used_cells(columns.columns, first, last, view(used));
        },
        "columns"_a, "first"_a, "last"_a, "used"_a.noconvert(), Release());
    module.def(
        "pair_synergies",
        [](const PairColumnsHolder& columns, const PairTargets& targets, Vector1<const double> xlogx, size_t first, size_t last,
           Array3<double> out) {
            require(out.shape(0) == targets.n_targets && out.shape(1) == columns.columns.n_columns(), "a number per pair");
            with_popcount([&] { pair_synergies(columns.columns, targets, view(xlogx), first, last, view(out)); });
        },
        "columns"_a, "targets"_a, "xlogx"_a, "first"_a, "last"_a, "out"_a.noconvert(), Release());
    module.def(
        "pair_null",
        [](const PairColumnsHolder& columns, const PairTargets& targets, Vector1<const double> xlogx, Array2<const double> freedom,
           size_t first, size_t last, Array2<double> total, Vector1<double> best) {
            require(best.shape(0) == targets.n_targets, "a number per target");
            with_popcount(
                [&] { pair_null(columns.columns, targets, view(xlogx), view(freedom), first, last, view(total), view(best)); });
        },
        "columns"_a, "targets"_a, "xlogx"_a, "freedom"_a, "first"_a, "last"_a, "total"_a.noconvert(), "best"_a.noconvert(),
        Release());
}

}  // namespace

void bind_scores(nb::module_& module) {
    bind_counting(module);
    bind_sums(module);
    bind_neighbours(module);
    bind_pairs(module);
}

}  // namespace tamis
