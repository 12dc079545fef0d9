#pragma once
// Arrays of Python as spans, shapes and types checked; vectors as arrays of Python, without a copy.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace tamis {

namespace nb = nanobind;

template <class T, size_t D>
using Array = nb::ndarray<const T, nb::ndim<D>, nb::c_contig, nb::device::cpu>;

/// Keeps the arrays whose spans are in use: a Python list of them would need the interpreter's lock to be emptied.
using Owners = std::vector<nb::object>;

/// The attribute of a named tuple as a span of all its numbers; D: how many dimensions it must have.
template <class T, size_t D = 1>
std::span<const T> span_of(nb::handle group, const char* name, Owners& owners) {
    nb::object value = group.attr(name);
    Array<T, D> array;
    if (!nb::try_cast(value, array, false)) {
        throw nb::type_error((std::string(name) + " is no C-ordered array of the type and dimensions that the core takes").c_str());
    }
    owners.push_back(std::move(value));
    owners.push_back(nb::cast(array));
    return {array.data(), array.size()};
}

/// Raise where an array is shorter or longer than the others say.
inline void check_size(size_t size, size_t expected, const char* name) {
    if (size != expected) {
        throw std::invalid_argument(std::string(name) + " has " + std::to_string(size) + " numbers, not " + std::to_string(expected));
    }
}

/// A vector as an array of Python, which then owns it.
template <class T>
nb::ndarray<nb::numpy, T> array_of(std::vector<T> values, std::vector<size_t> shape) {
    auto* owner = new std::vector<T>(std::move(values));
    nb::capsule capsule(owner, [](void* pointer) noexcept { delete static_cast<std::vector<T>*>(pointer); });
    return nb::ndarray<nb::numpy, T>(owner->data(), shape.size(), shape.data(), capsule);
}

template <class T>
nb::ndarray<nb::numpy, T> array_of(std::vector<T> values) {
    const size_t size = values.size();
    return array_of(std::move(values), {size});
}

/// Called by a long call without the interpreter's lock: whether Ctrl-C was pressed, or `progress` failed.
inline std::function<bool(size_t)> interrupt_check(nb::handle progress) {
    return [progress](size_t done) {
        nb::gil_scoped_acquire lock;
        if (PyErr_CheckSignals() != 0) return true;
        if (progress.is_none()) return false;
        PyObject* result = PyObject_CallFunction(progress.ptr(), "n", Py_ssize_t(done));
        Py_XDECREF(result);
        return result == nullptr;
    };
}

}  // namespace tamis
