"""Builds the programs of tests/project/consumer with the package, and runs them."""
import os

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, cmake_layout


class HdbTest(ConanFile):
    settings = "os", "arch", "compiler", "build_type"
    generators = "CMakeDeps", "CMakeToolchain"
    test_type = "explicit"

    def requirements(self):
        self.requires(self.tested_reference_str)

    def layout(self):
        cmake_layout(self)

    def build(self):
        consumer = os.path.join(self.recipe_folder, *[".."] * 4, "tests", "project", "consumer")
        cmake = CMake(self)
        cmake.configure(build_script_folder=os.path.relpath(consumer, self.source_folder))
        cmake.build()

    def test(self):
        if can_run(self):
            for program in ("consumer", "editor"):
                path = os.path.join(self.cpp.build.bindir, program)
                self.run(path + " slot1.hdb", env="conanrun")
