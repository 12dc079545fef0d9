// The binned table: digests and order of its rows.
#include "arrays.hpp"
#include "bind.hpp"
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

}  // namespace

void bind_table(nb::module_& module) {
    module.def("hash_codes", &hash_codes_of_rows, nb::arg("codes"));
    module.def("fold_words", &fold, nb::arg("words"), nb::arg("n_lanes"));
    module.def("arrange", &arrange, nb::arg("codes"), nb::arg("order"), nb::arg("is_narrow"));
}

}  // namespace tamis
