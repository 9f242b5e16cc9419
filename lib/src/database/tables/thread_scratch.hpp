// Buffers that a thread keeps between calls, also while code of the user runs that calls again.
#pragma once

#include <utility>

/// Before a local buffer: the thread keeps it between calls. Not with MinGW, which frees the memory
/// of such variables before it destroys them when a thread ends; there each call makes its own.
#if defined(__MINGW32__)
#define HDB_KEPT_BY_THREAD
#else
#define HDB_KEPT_BY_THREAD thread_local
#endif

namespace hdb {

/// Takes the buffer out of its thread's keeping and puts it back at the end. A call inside of the
/// call, from a record's serialize, finds an empty buffer and works with one of its own.
template <class Buffer>
class ThreadScratch {
 public:
  /// Requires: `kept` is HDB_KEPT_BY_THREAD.
  explicit ThreadScratch(Buffer& kept) : kept_(kept), buffer_(std::exchange(kept, Buffer())) {}
  ~ThreadScratch() { kept_ = std::move(buffer_); }
  ThreadScratch(const ThreadScratch&) = delete;
  ThreadScratch& operator=(const ThreadScratch&) = delete;

  [[nodiscard]] Buffer& operator*() noexcept { return buffer_; }

 private:
  Buffer& kept_;
  Buffer buffer_;
};

}  // namespace hdb
