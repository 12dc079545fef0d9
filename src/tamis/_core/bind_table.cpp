// The binned table: columns as codes, digests and order of its rows.
#include "arrays.hpp"
#include "bind.hpp"
#include "coding.hpp"
#include "row_order.hpp"

namespace tamis {
namespace {

using Codes = Array<uint16_t, 2>;

/// Stir codes (columns, rows) into a digest of every row; returns the digests.
auto hash_codes_of_rows(Codes codes) {
    std::vector<uint64_t> digest(codes.shape(1), 0);
    {
        nb::gil_scoped_release unlocked;
        hash_codes(codes.data(), codes.shape(0), codes.shape(1), digest.data());
    }
    return array_of(std::move(digest));
}

/// Lanes 0 … n_lanes - 1 with all words stirred in.
auto fold(Array<uint64_t, 1> words, size_t n_lanes) {
    std::vector<uint64_t> lanes(n_lanes);
    for (size_t q = 0; q < n_lanes; ++q) lanes[q] = q;
    fold_words({words.data(), words.size()}, lanes);
    return array_of(std::move(lanes));
}

template <class Narrow>
nb::tuple arranged(const Codes& codes, std::span<const int64_t> order) {
    const size_t d = codes.shape(0), n = order.size();
    std::vector<Narrow> by_column(d * n), by_row(d * n);
    {
        nb::gil_scoped_release unlocked;
        arrange_codes(codes.data(), order, d, by_column.data(), by_row.data());
    }
    return nb::make_tuple(array_of(std::move(by_column), {d, n}), array_of(std::move(by_row), {n, d}));
}

/// Codes with their rows in the order given: (columns, rows) and (rows, columns), of one byte each where all fit.
nb::tuple arrange(Codes codes, Array<int64_t, 1> order, bool is_narrow) {
    check_size(order.size(), codes.shape(1), "order");
    const std::span places(order.data(), order.size());
    for (const int64_t row : places) {
        if (row < 0 || size_t(row) >= codes.shape(1)) throw std::invalid_argument("order names a row that the table lacks");
    }
    return is_narrow ? arranged<uint8_t>(codes, places) : arranged<uint16_t>(codes, places);
}

using CodesOut = nb::ndarray<uint16_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T, size_t D>
using Out = nb::ndarray<T, nb::ndim<D>, nb::c_contig, nb::device::cpu>;

/// Raise unless the lines that are to be filled are there.
void check_places(const Array<int64_t, 1>& places, const CodesOut& codes, size_t n_rows, size_t n_values, size_t n_sizes, size_t n_missing) {
    check_size(codes.shape(1), n_rows, "codes");
    check_size(n_values, codes.size(), "values");
    check_size(n_sizes, codes.shape(0), "sizes");
    check_size(n_missing, codes.shape(0), "missing");
    for (size_t q = 0; q < places.size(); ++q) {
        if (places(q) < 0 || size_t(places(q)) >= codes.shape(0)) throw std::invalid_argument("places names a column that is not there");
    }
}

/// Codes of columns of numbers, lines (columns, rows), that are ranks; column q fills line places[q] of codes and values.
void code_columns(Array<double, 2> lines, Array<int64_t, 1> places, CodesOut codes, Out<double, 2> values, Out<int64_t, 1> sizes,
                  Out<bool, 1> missing) {
    check_places(places, codes, lines.shape(1), values.size(), sizes.size(), missing.size());
    check_size(places.size(), lines.shape(0), "places");
    const size_t n = lines.shape(1);
    nb::gil_scoped_release unlocked;
    ValueOrder order;
    for (size_t q = 0; q < places.size(); ++q) {
        const size_t p = size_t(places(q));
        const std::span column(lines.data() + q * n, n);
        order.sort(column);
        sizes(p) = int64_t(code_by_rank(order, column, codes.data() + p * n, values.data() + p * n));
        missing(p) = order.rows.size() < n;
    }
}

/// The same for some rows of columns that are coded: those of line columns[p] of the codes given.
void recode_columns(Codes given, Array<int32_t, 1> n_values, Array<int64_t, 1> first, Array<double, 1> low, Array<int64_t, 1> rows,
                    Array<int64_t, 1> columns, Array<int64_t, 1> places, CodesOut codes, Out<double, 2> values, Out<int64_t, 1> sizes,
                    Out<bool, 1> missing) {
    const size_t n = rows.size();
    check_places(places, codes, n, values.size(), sizes.size(), missing.size());
    check_size(first.size(), given.shape(0) + 1, "first");
    for (size_t i = 0; i < n; ++i) {
        if (rows(i) < 0 || size_t(rows(i)) >= given.shape(1)) throw std::invalid_argument("rows names a row that is not there");
    }
    nb::gil_scoped_release unlocked;
    for (size_t q = 0; q < places.size(); ++q) {
        const size_t p = size_t(places(q)), j = size_t(columns(p));
        const auto [k, is_missing] = recode(given.data() + j * given.shape(1), {rows.data(), n}, low.data() + first(j), size_t(n_values(j)),
                                            codes.data() + p * n, values.data() + p * n);
        sizes(p) = int64_t(k);
        missing(p) = is_missing;
    }
}

/// low, high and edges of a column's codes, at most max_codes; whether coding is lossless.
nb::tuple learn_numbers(Array<double, 1> values, int64_t max_codes) {
    NumberCoding coding;
    {
        nb::gil_scoped_release unlocked;
        ValueOrder order;
        order.sort({values.data(), values.size()});
        coding = learn_coding(order.ordered, max_codes);
    }
    return nb::make_tuple(array_of(std::move(coding.low)), array_of(std::move(coding.high)), array_of(std::move(coding.edges)),
                          coding.is_lossless);
}

template <class Code>
nb::object encoded(std::span<const double> values, std::span<const double> edges, size_t missing) {
    std::vector<Code> codes(values.size());
    {
        nb::gil_scoped_release unlocked;
        EdgeGrid(edges).encode(values, missing, codes.data());
    }
    return nb::cast(array_of(std::move(codes)));
}

/// codes[i]: how many edges lie below values[i]; NaN gets the code `missing`; of the smallest type that holds it.
nb::object encode(Array<double, 1> values, Array<double, 1> edges, size_t missing) {
    const std::span given(values.data(), values.size()), between(edges.data(), edges.size());
    if (missing < 256) return encoded<uint8_t>(given, between, missing);
    if (missing < 65536) return encoded<uint16_t>(given, between, missing);
    return encoded<uint32_t>(given, between, missing);
}

/// edges[k]: midway between values k and k + 1, and x <= edges[k] puts x to k or below.
auto midways(Array<double, 1> values) {
    std::vector<double> edges(values.size() ? values.size() - 1 : 0);
    for (size_t k = 0; k < edges.size(); ++k) edges[k] = midway(values(k), values(k + 1));
    return array_of(std::move(edges));
}

}  // namespace

void bind_table(nb::module_& module) {
    module.def("code_columns", &code_columns, nb::arg("lines"), nb::arg("places"), nb::arg("codes").noconvert(),
               nb::arg("values").noconvert(), nb::arg("sizes").noconvert(), nb::arg("missing").noconvert());
    module.def("recode_columns", &recode_columns, nb::arg("given"), nb::arg("n_values"), nb::arg("first"), nb::arg("low"), nb::arg("rows"),
               nb::arg("columns"), nb::arg("places"), nb::arg("codes").noconvert(), nb::arg("values").noconvert(),
               nb::arg("sizes").noconvert(), nb::arg("missing").noconvert());
    module.def("learn_numbers", &learn_numbers, nb::arg("values"), nb::arg("max_codes"));
    module.def("encode", &encode, nb::arg("values"), nb::arg("edges"), nb::arg("missing"));
    module.def("midways", &midways, nb::arg("values"));
    module.def("hash_codes", &hash_codes_of_rows, nb::arg("codes"));
    module.def("fold_words", &fold, nb::arg("words"), nb::arg("n_lanes"));
    module.def("arrange", &arrange, nb::arg("codes"), nb::arg("order"), nb::arg("is_narrow"));
}

}  // namespace tamis
