// Component tables refuse structural calls while records of their owner are destroyed.
#pragma once

#include "hdb/detail/core/tables/table_core.hpp"

namespace hdb::detail {

/// Says so for as long as it lives.
class TableCore::OwnerBusy {
 public:
  explicit OwnerBusy(TableCore& owner) noexcept : owner_(owner) { set(Busy::no, Busy::owner); }
  ~OwnerBusy() { set(Busy::owner, Busy::no); }
  OwnerBusy(const OwnerBusy&) = delete;
  OwnerBusy& operator=(const OwnerBusy&) = delete;

 private:
  void set(Busy from, Busy to) noexcept {
    for (TableCore* const component : owner_.components_) {
      if (component->busy_ == from) component->busy_ = to;
    }
  }

  TableCore& owner_;
};

}  // namespace hdb::detail
