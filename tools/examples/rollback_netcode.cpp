// Rollback netcode, as in GGPO: two processes play over UDP on 127.0.0.1. Each predicts what the
// other player presses, and plays frames again where that was wrong. For systems with fork.
#include <hdb/hdb.hpp>
#include <hdb/history.hpp>

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace {

constexpr std::uint32_t kFrames = 600;
constexpr std::uint32_t kInputDelay = 2;  // from a button to its effect: hides short delays
constexpr std::uint32_t kLag = 8;         // frames until the other peer sees an input
enum Button : std::uint8_t { left = 1, right = 2, fire = 4 };

struct Fighter {
  std::int32_t x = 0, hits = 0;
};
struct Shot {
  std::int32_t x = 0, speed = 0;
};

// Whole numbers only, and all of it in tables: a step depends on nothing else.
struct World {
  hdb::Database db;
  hdb::Table<Fighter>& fighters = db.create_table<Fighter>("fighters");
  hdb::Table<Shot>& shots = db.create_table<Shot>("shots");
  std::array<hdb::Handle<Fighter>, 2> players{fighters.insert({.x = -200}),
                                              fighters.insert({.x = 200})};

  void step(const std::array<std::uint8_t, 2>& inputs) {
    for (std::size_t i = 0; i < 2; ++i) {
      Fighter& fighter = *fighters.edit(players[i]);
      fighter.x += (inputs[i] & left) != 0 ? -3 : (inputs[i] & right) != 0 ? 3 : 0;
      if ((inputs[i] & fire) != 0) shots.insert({.x = fighter.x, .speed = i == 0 ? 12 : -12});
    }
    for (auto i = static_cast<std::uint32_t>(shots.size()); i-- > 0;) {
      Shot& shot = *shots.edit(shots.handle_at(i));
      shot.x += shot.speed;
      Fighter& target = *fighters.edit(players[shot.speed > 0 ? 1 : 0]);
      const bool is_hit = std::abs(shot.x - target.x) < 10;
      if (is_hit) ++target.hits;
      if (is_hit || std::abs(shot.x) > 400) shots.erase(shots.handle_at(i));
    }
  }
};

struct Packet {  // all inputs of a player so far: a lost packet does no harm
  std::uint32_t count = 0;
  std::array<std::uint8_t, kFrames> inputs{};
  hdb::Hash128 hash;  // of the last state; zero before
};

class Peer {
 public:
  Peer(std::uint32_t player, int udp) : me_(player), udp_(udp) {
    for (std::uint32_t i = kInputDelay; i < kFrames; ++i)  // a button is held for seven frames
      mine_.inputs[i] = static_cast<std::uint8_t>((i / 7 + 1 + 99 * me_) * 2654435761u >> 29);
  }
  bool play() {  // returns whether both peers end in the same state
    for (std::uint32_t now = 0; now <= kFrames; ++now) {
      mine_.count = std::min(now + 1 + kInputDelay, kFrames);
      const std::uint32_t seen = now < kLag ? 0 : now - kLag + kInputDelay;
      if (!receive(now == kFrames ? kFrames : seen) || !advance(now)) return false;
    }
    const hdb::Hash128 hash = world_.db.state_hash();
    if (me_ == 1) mine_.hash = hash;  // it leaves when it has the hash of the other player
    while (theirs_.hash == hdb::Hash128() && exchange()) continue;
    mine_.hash = hash;
    while (me_ == 0 && exchange()) continue;
    std::printf("player %u: %u rollbacks, state %s\n", me_ + 1, rollbacks_, hash.hex().c_str());
    return rollbacks_ != 0 && theirs_.hash == hash;
  }

 private:
  bool advance(std::uint32_t now) {
    for (; frame_ < kFrames && frame_ <= now; ++frame_) {
      if (history_.newest() != frame_ && !history_.record(frame_)) return false;
      // The prediction: the other player still holds the same buttons.
      used_[frame_] = known_ == 0 ? std::uint8_t{0} : theirs_.inputs[std::min(frame_, known_ - 1)];
      std::array<std::uint8_t, 2> inputs{used_[frame_], used_[frame_]};
      inputs[me_] = mine_.inputs[frame_];
      world_.step(inputs);
    }
    return true;
  }
  // Takes the first `count` inputs of the other player, and goes back to the first one that is not
  // as predicted. A real game takes what has arrived, and waits only if it is far ahead.
  bool receive(std::uint32_t count) {
    while (exchange() && theirs_.count < count) continue;
    if (theirs_.count < count) return false;
    while (known_ < count && used_[known_] == theirs_.inputs[known_]) ++known_;
    if (known_ >= count) return true;
    ++rollbacks_;
    frame_ = std::exchange(known_, count);
    return history_.rewind(frame_).has_value();  // exactly: the same handles are issued again
  }
  // Sends a packet, and receives one if it is there. False if the other process is gone. Both are
  // the same program, so a packet is the memory of the struct.
  bool exchange() {
    if (::send(udp_, &mine_, sizeof mine_, 0) < 0) return errno != ECONNREFUSED;
    Packet packet;
    const auto size = ::recv(udp_, &packet, sizeof packet, MSG_DONTWAIT);
    if (size == sizeof packet && packet.count >= theirs_.count) theirs_ = packet;
    return size >= 0 || (errno == EAGAIN && ::usleep(500) == 0);
  }

  const std::uint32_t me_;
  const int udp_;
  World world_;
  hdb::History history_{world_.db, {.frames = kLag + 1}};
  Packet mine_, theirs_;
  std::array<std::uint8_t, kFrames> used_{};  // inputs of the other player, known or predicted
  std::uint32_t frame_ = 0, known_ = 0, rollbacks_ = 0;
};

}  // namespace

int main() {
  std::array<sockaddr_in, 2> places{};
  std::array<int, 2> udp{};
  const auto place = [&](std::size_t i) { return reinterpret_cast<sockaddr*>(&places[i]); };
  socklen_t size = sizeof places[0];
  bool is_open = true;
  for (std::size_t i = 0; i < 2; ++i) {  // on ports that the system chooses
    places[i].sin_family = AF_INET;
    places[i].sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    udp[i] = ::socket(AF_INET, SOCK_DGRAM, 0);
    is_open &= ::bind(udp[i], place(i), size) == 0 && ::getsockname(udp[i], place(i), &size) == 0;
  }
  for (std::size_t i = 0; i < 2; ++i) is_open &= ::connect(udp[i], place(1 - i), size) == 0;
  const pid_t child = is_open ? ::fork() : -1;
  if (child < 0) return std::perror("rollback_netcode: cannot start on 127.0.0.1"), 1;
  const std::uint32_t me = child == 0 ? 1 : 0;
  ::close(udp[1 - me]);
  const bool agree = Peer(me, udp[me]).play();
  int status = 0;
  if (child != 0) ::waitpid(child, &status, 0);
  return agree && status == 0 ? 0 : 1;
}
