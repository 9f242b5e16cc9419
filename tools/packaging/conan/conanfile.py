"""The Conan 2 recipe of hdb, of the tree that it lies in: conan create tools/packaging/conan"""
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load

SOURCES = ("CMakeLists.txt", "LICENSE", "lib/*", "schema/*")


class HdbRecipe(ConanFile):
    name = "hdb"
    description = "Save-game serializable handle database"
    license = "MIT"
    topics = ("gamedev", "serialization", "savegame", "handles")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False], "archive": [True, False],
               "postgres": [True, False]}
    default_options = {"shared": False, "fPIC": True, "archive": True, "postgres": False}
    implements = ["auto_shared_fpic"]

    def _tree(self):
        return os.path.join(self.recipe_folder, "..", "..", "..")

    def set_version(self):
        text = load(self, os.path.join(self._tree(), "CMakeLists.txt"))
        self.version = re.search(r"^project\(hdb VERSION ([0-9.]+)", text, re.M)[1]

    def export_sources(self):
        for pattern in SOURCES:
            copy(self, pattern, self._tree(), self.export_sources_folder)

    def requirements(self):
        # hdbConfig.cmake finds them again for programs, so these see them whatever they link.
        seen = {"transitive_headers": True, "transitive_libs": True}
        self.requires("cereal/1.3.2", **seen)
        self.requires("tl-expected/1.1.0", **seen)
        self.requires("xxhash/0.8.2", **seen)
        self.requires("zstd/1.5.5", **seen)
        if self.options.archive:
            self.requires("sqlite3/[>=3.40 <4]", **seen)
        if self.options.postgres:
            self.requires("libpq/15.5", **seen)

    def validate(self):
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        extras = ["c", "entt", "imgui"]
        if self.options.archive:
            extras.append("archive")
            if self.options.postgres:
                extras.append("postgres")
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["HDB_EXTRAS"] = ";".join(extras)
        for option in ("HDB_BUILD_TESTS", "HDB_BUILD_TOOLS", "HDB_BUILD_BENCHMARKS"):
            toolchain.cache_variables[option] = False
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        # hdb's own file for find_package says what there is, hdb_check_schema as well.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "hdb")]
        self.cpp_info.libs = ["hdb", "hdb_inspect"]
        if self.settings.os == "Linux":
            self.cpp_info.system_libs = ["pthread"]
