// Words for what a table's descriptor says: storage, policies, layout, the states of slots.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/table_descriptor.hpp"

namespace hdb {

[[nodiscard]] std::string_view storage_name(Storage storage) noexcept;
[[nodiscard]] std::string_view free_list_name(FreeList free_list) noexcept;
[[nodiscard]] std::string_view generations_name(Generations generations) noexcept;
[[nodiscard]] std::string_view overflow_name(Overflow overflow) noexcept;
[[nodiscard]] std::string_view names_name(Names names) noexcept;
[[nodiscard]] std::string_view compaction_name(Compaction compaction) noexcept;
/// "65536 bytes aligned to 16, compacted at_release", or "none".
[[nodiscard]] std::string blobs_text(const std::optional<BlobPolicy>& blobs);
/// The numbers, or "none".
[[nodiscard]] std::string sort_text(const std::vector<std::uint64_t>& sort_work);
[[nodiscard]] std::string_view state_name(SlotState state) noexcept;
/// "<32,31>", or "<32,16,15>" with a type id.
[[nodiscard]] std::string layout_text(const HandleLayout& layout);
/// The layout that layout_text() writes so; none when the text is not the one of a valid layout.
[[nodiscard]] std::optional<HandleLayout> layout_of_text(std::string_view text);

}  // namespace hdb
