#!/usr/bin/env python3
"""The sample game in a window: keys and clicks go through an X server in memory, and the program
writes what it did, with the hash of each state, to a trace.

window_test.py PROGRAM XVFB XDOTOOL FOLDER
"""
import os
import re
import shutil
import subprocess
import sys
import time

LIMIT_S = 600  # only for what hangs


class Window:
    def __init__(self, program, xvfb, xdotool, folder):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        self.xdotool = xdotool
        self.trace = os.path.join(folder, "trace")
        read, write = os.pipe()
        self.server = subprocess.Popen(
            [xvfb, "-displayfd", str(write), "-screen", "0", "1500x860x24", "-nolisten", "tcp"],
            pass_fds=[write], stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as numbers:
            display = numbers.readline().strip()
        self.environment = dict(os.environ, DISPLAY=f":{display}", SDL_VIDEODRIVER="x11")
        self.game = subprocess.Popen([program, "--out", folder, "--trace", self.trace],
                                     env=self.environment)
        found = self.do("search", "--sync", "--name", "^hdb demo$").split()
        self.do("windowmove", "--sync", found[0], "0", "0")
        self.do("windowfocus", "--sync", found[0])

    def do(self, *command):
        return subprocess.run([self.xdotool, *command], env=self.environment, check=True,
                              timeout=LIMIT_S, stdout=subprocess.PIPE, text=True).stdout

    def lines(self):
        """The whole lines so far, each as its words."""
        if not os.path.exists(self.trace):
            return []
        with open(self.trace, encoding="utf-8") as file:
            return [line.split() for line in file.read().split("\n")[:-1]]

    def wait(self, what, after=0, count=1):
        """The first line that begins with `what`, at or after a line number; its number too."""
        end = time.monotonic() + LIMIT_S
        while time.monotonic() < end:
            found = [(i, line) for i, line in enumerate(self.lines())
                     if i >= after and line[0] == what]
            if len(found) >= count:
                return found[count - 1]
            if self.game.poll() is not None:
                sys.exit(f"the game ended with status {self.game.returncode}")
            time.sleep(0.02)
        sys.exit(f"no line {what!r} after line {after} in {self.trace}")

    def press(self, key, what):
        """Presses a key, and waits for the line of what it did."""
        before = len(self.lines())
        self.do("key", key)
        return self.wait(what, before)

    def click(self, x, y, what):
        before = len(self.lines())
        self.do("mousemove", str(x), str(y))
        time.sleep(0.1)  # the program sees the place before the click
        self.do("click", "1")
        return self.wait(what, before)

    def end(self):
        self.game.kill()
        self.server.terminate()
        self.server.wait()


def equal(what, found, wanted):
    if found != wanted:
        sys.exit(f"{what}: {found}, not {wanted}")
    print(f"{what}: {found}")


def check_saves(window):
    equal("a load without a save", window.press("F9", "error")[1][0], "error")
    window.wait("frame", count=30)
    at_save, saved = window.press("F5", "saved")
    window.wait("frame", at_save, count=20)
    at_load, loaded = window.press("F9", "loaded")
    equal("the state that was loaded", loaded[2], saved[2])
    # The game goes on as it did after the save.
    window.wait("frame", at_load, count=10)
    first = [line[2] for line in window.lines()[at_save:at_load] if line[0] == "frame"][:10]
    again = [line[2] for line in window.lines()[at_load:] if line[0] == "frame"][:10]
    equal("the ticks after the load", again, first)


def check_rewind(window):
    # Far from the load: what was played before it is another course of the game.
    at_load = [i for i, line in enumerate(window.lines()) if line[0] == "loaded"][-1]
    window.wait("frame", at_load, count=60)
    begin = len(window.lines())
    window.do("keydown", "BackSpace")
    window.wait("back", begin, count=12)
    window.do("keyup", "BackSpace")
    at, rewound = window.wait("rewound", begin)
    lines = window.lines()
    first_back = [i for i, line in enumerate(lines) if i >= begin and line[0] == "back"][0]
    known = {int(line[1]): line[2] for line in lines[:first_back] if line[0] in ("frame", "loaded")}
    back = [line for line in lines[first_back:at] if line[0] == "back"]
    for line in back:
        if int(line[1]) != 0 and line[2] != known[int(line[1])]:
            sys.exit(f"frame {line[1]} has another state than when it was played")
    equal("the state after the way back", rewound[1:], back[-1][1:])
    at_frame = int(rewound[1])
    same_course = [frame for frame in known if frame > at_frame and
                   (at_frame >= int(lines[at_load][1]) or frame < int(lines[at_load][1]))][:5]
    window.wait("frame", at, count=len(same_course))
    again = [line[2] for line in window.lines()[at:] if line[0] == "frame"][:len(same_course)]
    equal("the ticks after the way back", again, [known[frame] for frame in same_course])


def check_pause_and_clicks(window):
    at, paused = window.press("space", "paused")
    step = window.press("n", "frame")[1]
    equal("one tick", int(step[1]), int(paused[1]) + 1)
    time.sleep(0.3)
    equal("the frames of a paused game",
          [line for line in window.lines()[at:] if line[0] == "frame"], [step])
    at, _ = window.press("space", "running")
    at, _ = window.press("space", "paused")
    monster = window.wait("monster", at)[1]
    selected = window.click(int(monster[2]), int(monster[3]), "selected")[1]
    equal("the monster that was clicked", selected[1:], ["things", monster[1]])


def check_slider(window):
    at, shown = window.click(684, 41, "shown")
    frame = int(shown[1])
    known = {int(line[1]): line[2] for line in window.lines()[:at]
             if line[0] in ("frame", "loaded")}
    # Frame 0 was before the first tick.
    if frame in known:
        equal(f"frame {frame} on the slider", shown[2], known[frame])
    elif frame != 0:
        sys.exit(f"the slider shows frame {frame}, which was not played")
    at, running = window.press("space", "running")
    equal("the state that the game goes on from", running[1:], shown[1:])
    equal("the next frame", int(window.wait("frame", at)[1][1]), frame + 1)


def main():
    window = Window(*sys.argv[1:])
    try:
        check_saves(window)
        check_rewind(window)
        check_pause_and_clicks(window)
        check_slider(window)
        found = " ".join(window.press("b", "divergence")[1][1:])
        if not re.fullmatch(r"sync_test found the planted bug: frame \d+: "
                            r"things:\d+@\d+\.\w+: .+ -> .+", found):
            sys.exit(f"the planted bug is not named: {found}")
        print(found)
        window.do("key", "Escape")
        equal("the exit status", window.game.wait(LIMIT_S), 0)
    finally:
        window.end()


if __name__ == "__main__":
    main()
