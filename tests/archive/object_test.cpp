// Objects: differences of any two byte strings, and what is refused of damaged and hostile ones.
#include "archive/object.hpp"

#include <gtest/gtest.h>

#include "archive/game_world.hpp"
#include "archive/manifest.hpp"

namespace hdb::test::object_test {
namespace {

using archive::ObjectDecoder;
using archive::ObjectEncoder;
using archive::ObjectId;

Bytes random_bytes(Random& random, std::size_t size, std::uint64_t kinds) {
  Bytes bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.below(kinds));
  return bytes;
}

// As `base`, with some runs changed and perhaps another size.
Bytes changed(Random& random, const Bytes& base) {
  Bytes bytes = base;
  if (random.one_in(3)) bytes.resize(random.below(base.size() + 200));
  for (std::uint64_t runs = random.below(20); runs != 0 && !bytes.empty(); --runs) {
    const std::size_t first = random.below(bytes.size());
    const std::size_t last = std::min<std::size_t>(bytes.size(), first + random.below(100));
    for (std::size_t i = first; i < last; ++i) bytes[i] = static_cast<std::byte>(random.next());
  }
  return bytes;
}

TEST(Object, DifferencesOfAnyTwoAreUndone) {
  Random random(1);
  ObjectEncoder encoder(1);
  ObjectDecoder decoder;
  std::size_t differences = 0;
  std::size_t frames = 0;
  for (int i = 0; i < 3000; ++i) {
    const unsigned width = 1u << random.below(4);
    const Bytes base = random_bytes(random, random.below(5000), i % 2 == 0 ? 256 : 3);
    const Bytes raw = changed(random, base);
    Bytes stored;
    encoder.encode_difference(raw, width, base, ObjectId{std::byte{9}}, 5, stored);
    const auto object = archive::parse_object(stored);
    ASSERT_TRUE(succeeded(object));
    ASSERT_EQ(object->raw_bytes, raw.size());
    Bytes back = base;
    if (object->is_difference) {
      ++differences;
      frames += object->is_frame ? 1 : 0;
      EXPECT_EQ(object->step, 5u);
      EXPECT_EQ(object->base, ObjectId{std::byte{9}});
      ASSERT_TRUE(succeeded(decoder.apply_difference(*object, back)));
    } else {
      back.resize(raw.size());
      ASSERT_TRUE(succeeded(decoder.decode_whole(*object, back)));
    }
    ASSERT_EQ(back, raw) << i;
  }
  EXPECT_GT(differences, 1000u);
  EXPECT_GT(frames, 100u);
}

TEST(Object, ADifferenceIsAsLargeAsTheChange) {
  Random random(2);
  ObjectEncoder encoder(1);
  const Bytes base = random_bytes(random, 64 << 10, 256);
  Bytes raw = base;
  for (std::size_t i = 10'000; i < 11'024; ++i) raw[i] ^= std::byte{0x55};
  Bytes stored;
  encoder.encode_difference(raw, 4, base, {}, 1, stored);
  EXPECT_LT(stored.size(), 200u);
  for (std::size_t i = 10'000; i < 11'024; ++i) raw[i] = static_cast<std::byte>(random.next());
  encoder.encode_difference(raw, 4, base, {}, 1, stored);
  EXPECT_LT(stored.size(), 1200u);
}

// As a frame: XORed, everything after the place would differ.
TEST(Object, ADifferenceIsSmallWhereValuesMove) {
  Random random(4);
  ObjectEncoder encoder(1);
  for (const std::size_t size : {2000u, 200'000u, 1'000'000u}) {
    const Bytes base = random_bytes(random, size, 256);
    Bytes raw = base;
    raw.insert(raw.begin() + 100, {std::byte{1}, std::byte{2}, std::byte{3}});
    raw.erase(raw.end() - 100, raw.end() - 50);
    Bytes stored;
    encoder.encode_difference(raw, 2, base, ObjectId{std::byte{9}}, 1, stored);
    EXPECT_LT(stored.size(), 500u) << size;
    const auto object = archive::parse_object(stored);
    ASSERT_TRUE(succeeded(object));
    EXPECT_TRUE(object->is_frame);
    Bytes back = base;
    ASSERT_TRUE(succeeded(ObjectDecoder().apply_difference(*object, back)));
    EXPECT_EQ(back, raw);
    back = random_bytes(random, size, 256);
    EXPECT_FALSE(ObjectDecoder().apply_difference(*object, back)) << "another base";
    back.assign(archive::kMaxFrameBytes + 1, {});
    EXPECT_FALSE(ObjectDecoder().apply_difference(*object, back)) << "too large a base";
  }
}

// Every byte of an object counts, or is checked by its referrer: no change gives other raw bytes.
TEST(Object, FlippedBitsNeverGiveOtherBytes) {
  Random random(3);
  ObjectEncoder encoder(1);
  const Bytes base = random_bytes(random, 3000, 5);
  const Bytes raw = changed(random, base);
  Bytes whole;
  encoder.encode_whole(raw, 4, whole);
  Bytes difference;
  encoder.encode_difference(raw, 4, base, {}, 1, difference);
  ASSERT_TRUE(archive::parse_object(difference)->is_difference);
  ASSERT_FALSE(archive::parse_object(difference)->is_frame);
  Bytes moved = base;
  moved.insert(moved.begin() + 10, {std::byte{7}});
  moved.resize(raw.size());
  Bytes frame;
  encoder.encode_difference(moved, 4, base, {}, 1, frame);
  ASSERT_TRUE(archive::parse_object(frame)->is_frame);
  std::size_t refused = 0;
  const std::pair<const Bytes&, const Bytes&> cases[] = {
      {whole, raw}, {difference, raw}, {frame, moved}};
  for (const auto& [stored, expected] : cases) {
    for (std::size_t bit = 0; bit < 8 * stored.size(); ++bit) {
      Bytes damaged = stored;
      damaged[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
      const auto object = archive::parse_object(damaged);
      ObjectDecoder decoder;
      Bytes back = base;
      bool sound = object && object->raw_bytes == expected.size();
      if (sound && object->is_difference) {
        sound = decoder.apply_difference(*object, back).has_value();
      } else if (sound) {
        back.resize(expected.size());
        sound = decoder.decode_whole(*object, back).has_value();
      }
      refused += sound ? 0 : 1;
      ASSERT_TRUE(!sound || back == expected) << bit;
    }
  }
  EXPECT_GT(refused, 4 * (whole.size() + difference.size() + frame.size()));
}

TEST(Object, NamesAreChecked) {
  const ObjectId id = archive::ObjectId{std::byte{0xab}, std::byte{0x01}};
  EXPECT_EQ(archive::key_of(id).substr(0, 12), "chunk/ab0100");
  EXPECT_EQ(archive::id_of(archive::key_of(id)), id);
  for (const char* wrong : {"", "chunk/", "chunk/ab", "save/a/00000000000000000001"})
    EXPECT_FALSE(archive::id_of(wrong)) << wrong;
  std::string upper = archive::key_of(id);
  upper[6] = 'A';
  EXPECT_FALSE(archive::id_of(upper));

  EXPECT_EQ(archive::save_key("gate", 7), "save/gate/00000000000000000007");
  const auto name = archive::parse_save_key("save/gate/18446744073709551615");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->world, "gate");
  EXPECT_EQ(name->sequence, ~std::uint64_t{0});
  for (const char* wrong :
       {"save/gate/7", "save/gate/18446744073709551616", "save//00000000000000000007",
        "save/../00000000000000000007", "save/a/b/00000000000000000007",
        "save/gate/0000000000000000000x", "save/gate/+0000000000000000007"}) {
    EXPECT_FALSE(archive::parse_save_key(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace hdb::test::object_test
