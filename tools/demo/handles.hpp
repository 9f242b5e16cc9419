// The handles of the game: which record each names, and how wide it is.
#pragma once

#include <hdb/any_handle.hpp>
#include <hdb/handle.hpp>

namespace demo {

struct Texture;
struct SoundInfo;
struct Sprite;
struct Sector;
struct Side;
struct Line;
struct Thing;
struct Missile;
struct Shot;  // a tag: shots are missiles, in a table of their own

// The layouts differ on purpose: few textures need few bits, whatever an event can be about carries
// its table's id, and the small generations of shots run out, so that slots retire.
using TextureHandle = hdb::Handle<Texture, hdb::Layout<16, 16>>;
/// In records: keeps the texture from being flushed.
using StrongTexture = hdb::Strong<Texture, hdb::Layout<16, 16>>;
using SoundHandle = hdb::Handle<SoundInfo, hdb::Layout<16, 16>>;
using SpriteHandle = hdb::Handle<Sprite>;
using SectorHandle = hdb::TypedHandle<Sector>;
using SideHandle = hdb::Handle<Side>;
using LineHandle = hdb::Handle<Line>;
using ThingHandle = hdb::TypedHandle<Thing>;
using MissileHandle = hdb::TypedHandle<Missile>;
using ShotHandle = hdb::Handle<Shot, hdb::Layout<20, 12>>;

}  // namespace demo
