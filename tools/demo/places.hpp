// Where the programs of the demo find a WAD and put their files.
#pragma once

#include <string>

namespace demo {

/// The folder for the files: `wanted`, else a new one that only this user can read.
/// Throws: filesystem_error, runtime_error.
[[nodiscard]] std::string make_folder(const std::string& wanted);

/// The first WAD in DOOMWADDIR (the folder that DOOM programs agree on) or where Debian installs
/// them; empty: none.
[[nodiscard]] std::string find_wad();

}  // namespace demo
