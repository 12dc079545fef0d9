// The extension module tamis._core: one bind_<topic>.cpp a topic.
#include <exception>

#include "bind.hpp"
#include "threads.hpp"

NB_MODULE(_core, module) {
    // what interrupted a call, Ctrl-C or `progress`, has set Python's error
    nanobind::register_exception_translator([](const std::exception_ptr& thrown, void*) {
        try {
            std::rethrow_exception(thrown);
        } catch (const tamis::Interrupted&) {
        }
    });
    module.doc() = "The compiled core: arrays and numbers only.";
    module.attr("SOURCES") = TAMIS_SOURCES;  // the digest of the files it was compiled from
    tamis::bind_table(module);
    tamis::bind_forest(module);
    tamis::bind_boosting(module);
    tamis::bind_route(module);
    tamis::bind_scores(module);
    tamis::bind_search(module);
    tamis::bind_transform(module);
    tamis::bind_linear(module);
    tamis::bind_optimal_tree(module);
    tamis::bind_tree(module);
    tamis::bind_score_card(module);
    tamis::bind_additive(module);
}
