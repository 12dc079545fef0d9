#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tamis {

/// What a long call asks now and then: whether to stop. Set by the calling thread after Ctrl-C, or by a task that failed.
class Interrupt {
public:
    bool requested() const { return stop_.load(std::memory_order_relaxed); }
    void request() { stop_.store(true, std::memory_order_relaxed); }

private:
    std::atomic<bool> stop_{false};
};

/// Thrown by `run_in_order` where `is_interrupted` says so.
struct Interrupted : std::exception {};

/// Tasks 0 … n_tasks - 1 on n_threads threads, results handed to `take` in the order of the tasks, one at a time.
///
/// work(thread, task) gives a result, whatever else runs; so what `take` makes of the results does not depend on the number of
/// threads. The calling thread only waits, and calls is_interrupted(tasks taken) twenty times a second. At most two tasks a thread
/// are ahead of the next one to be taken. Threads end with the call: a process may fork before and after it.
template <class Work, class Take>
void run_in_order(size_t n_tasks, size_t n_threads, Interrupt& interrupt, const std::function<bool(size_t)>& is_interrupted,
                  Work work, Take take) {
    using Result = decltype(work(size_t(0), size_t(0)));
    std::mutex mutex;
    std::condition_variable room, finished;
    std::vector<Result> waiting(n_tasks);
    std::vector<char> is_done(n_tasks, 0);
    std::exception_ptr error;
    size_t next = 0, taken = 0, running = std::min(std::max<size_t>(1, n_threads), n_tasks);
    bool is_taking = false;
    const size_t ahead = 2 * running;

    auto take_ready = [&](std::unique_lock<std::mutex>& lock) {
        is_taking = true;
        while (taken < n_tasks && is_done[taken]) {
            Result ready = std::move(waiting[taken]);
            lock.unlock();
            take(taken, std::move(ready));
            lock.lock();
            ++taken;
            room.notify_all();
        }
        is_taking = false;
    };
    auto run_tasks = [&](size_t thread) {
        std::unique_lock lock(mutex);
        while (next < n_tasks && !interrupt.requested()) {
            if (next >= taken + ahead) {
                room.wait_for(lock, std::chrono::milliseconds(50));
                continue;
            }
            const size_t task = next++;
            lock.unlock();
            Result result = work(thread, task);
            lock.lock();
            waiting[task] = std::move(result);
            is_done[task] = 1;
            if (!is_taking) take_ready(lock);
        }
    };
    auto body = [&](size_t thread) {
        try {
            run_tasks(thread);
        } catch (...) {
            interrupt.request();
            std::lock_guard lock(mutex);
            error = std::current_exception();
        }
        std::lock_guard lock(mutex);
        if (--running == 0) finished.notify_one();
    };

    std::vector<std::thread> threads;
    for (size_t t = 0, n = running; t < n; ++t) threads.emplace_back(body, t);
    for (bool is_running = true; is_running;) {  // asked at least once, and when all is done
        std::unique_lock lock(mutex);
        finished.wait_for(lock, std::chrono::milliseconds(50), [&] { return running == 0; });
        is_running = running > 0;
        const size_t done = taken;
        lock.unlock();
        if (is_interrupted(done)) interrupt.request();
    }
    for (auto& thread : threads) thread.join();
    if (error) std::rethrow_exception(error);
    if (interrupt.requested()) throw Interrupted{};
}

/// body(task) for tasks 0 … n_tasks - 1, each writing to places of its own. Brief work is done here, without a further thread, where
/// one is asked for; long work is run as by `run_in_order`, so that it can be interrupted.
template <class Body>
void run_apart(size_t n_tasks, size_t n_threads, bool is_brief, const std::function<bool(size_t)>& is_interrupted, Body body) {
    if (is_brief && (n_threads <= 1 || n_tasks <= 1)) {
        for (size_t task = 0; task < n_tasks; ++task) body(task);
        return;
    }
    struct Nothing {};
    Interrupt interrupt;
    auto work = [&](size_t, size_t task) {
        body(task);
        return Nothing{};
    };
    run_in_order(n_tasks, n_threads, interrupt, is_interrupted, work, [](size_t, Nothing) {});
}

/// Threads for one call that has many brief steps: they wait between the steps, and end with the team.
class Team {
public:
    explicit Team(size_t n_threads) {
        for (size_t thread = 1; thread < n_threads; ++thread) helpers_.emplace_back([this, thread] { help(thread); });
    }
    ~Team() {
        {
            std::lock_guard lock(mutex_);
            ends_ = true;
        }
        begun_.notify_all();
        for (auto& helper : helpers_) helper.join();
    }
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    size_t size() const { return helpers_.size() + 1; }

    /// body(thread, task) for tasks 0 … n_tasks - 1, each on any one thread; returns when all are done. Rethrows what a task threw.
    void run(size_t n_tasks, const std::function<void(size_t, size_t)>& body) {
        if (helpers_.empty() || n_tasks <= 1) {
            for (size_t task = 0; task < n_tasks; ++task) body(0, task);
            return;
        }
        {
            std::lock_guard lock(mutex_);
            body_ = &body;
            n_tasks_ = n_tasks;
            next_ = 0;
            error_ = nullptr;
            n_busy_ = helpers_.size();
            ++step_;
        }
        begun_.notify_all();
        take_tasks(0);
        std::unique_lock lock(mutex_);
        finished_.wait(lock, [&] { return n_busy_ == 0; });
        if (error_) std::rethrow_exception(error_);
    }

private:
    void help(size_t thread) {
        for (size_t done = 0;;) {
            {
                std::unique_lock lock(mutex_);
                begun_.wait(lock, [&] { return ends_ || step_ != done; });
                if (ends_) return;
                done = step_;
            }
            take_tasks(thread);
            std::lock_guard lock(mutex_);
            if (--n_busy_ == 0) finished_.notify_one();
        }
    }

    void take_tasks(size_t thread) {
        try {
            for (size_t task = next_++; task < n_tasks_; task = next_++) (*body_)(thread, task);
        } catch (...) {
            next_ = n_tasks_;
            std::lock_guard lock(mutex_);
            error_ = std::current_exception();
        }
    }

    std::mutex mutex_;
    std::condition_variable begun_, finished_;
    const std::function<void(size_t, size_t)>* body_ = nullptr;
    std::atomic<size_t> next_{0};
    size_t n_tasks_ = 0, n_busy_ = 0, step_ = 0;
    bool ends_ = false;
    std::exception_ptr error_;
    std::vector<std::thread> helpers_;
};

}  // namespace tamis
