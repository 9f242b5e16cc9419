// The codecs of the records that tests share.
#include "support/records.hpp"

#include <cereal/types/map.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>

namespace hdb::detail {

template std::shared_ptr<const RecordCodec> make_codec<test::Unit>();
template std::shared_ptr<const RecordCodec> make_codec<test::Hero>();
template std::shared_ptr<const RecordCodec> make_codec<test::Tile>();
template std::shared_ptr<const RecordCodec> make_codec<test::Clock>();

}  // namespace hdb::detail
