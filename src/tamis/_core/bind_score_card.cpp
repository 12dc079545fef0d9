// Score cards: statements with whole points.
#include "bind_matrix.hpp"
#include "linear/score_card.hpp"

namespace tamis {

using namespace nb::literals;

void bind_score_card(nb::module_& module) {
    module.def(
        "score_cards",
        [](Array2<const uint8_t> statements, Vector1<const double> target, Vector1<const double> weight, bool is_logistic,
           int64_t max_terms, int64_t max_points, Vector1<const int8_t> sides) {
            const size_t n = target.shape(0);
            require(statements.shape(1) == n && weight.shape(0) == n && n > 0, "a value for each row");
            require(sides.shape(0) == 0 || sides.shape(0) == statements.shape(0), "a side for each statement, or none");
            require(max_terms >= 1 && max_points >= 1, "at least one term and one point");
            const auto is_interrupted = interrupt_check(nb::none());
            std::vector<Card> cards;
            {
                nb::gil_scoped_release release;
                Interrupt interrupt;
                auto work = [&](size_t, size_t) {
                    CardSearch search({view(statements), view(target), view(weight), is_logistic, view(sides)}, size_t(max_terms), int32_t(max_points));
                    return search.search(interrupt);
                };
                run_in_order(1, 1, interrupt, is_interrupted, work, [&](size_t, std::vector<Card> found) { cards = std::move(found); });
            }
            nb::list out;
            for (Card& card : cards) {
                out.append(nb::make_tuple(array_of(std::move(card.statement)), array_of(std::move(card.points)), card.intercept,
                                          card.slope, card.loss));
            }
            return out;
        },
        "statements"_a, "target"_a, "weight"_a, "is_logistic"_a, "max_terms"_a, "max_points"_a, "sides"_a,
        "The best card of each number of terms: statements, points, intercept and slope of the curve, loss.");
}

}  // namespace tamis
