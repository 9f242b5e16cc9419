"""The package tools/python/hdb: package_test.py ROOT with|without, with or without NumPy."""
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv[1])
HAS_NUMPY = sys.argv[2] == "with"
if not HAS_NUMPY:
    sys.modules["numpy"] = None  # an import of it fails from here on

import hdb  # noqa: E402

FIXTURES = ROOT / "fixtures/v0.10"


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=".")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).absolute()
        self.path = self.folder / "slot1.hdb"
        shutil.copy(FIXTURES / "before.hdb", self.path)

    def open(self, path=None):
        save = hdb.open(path or self.path)
        self.addCleanup(save.close)
        return save


class Records(Case):
    def test_fields_are_read_and_set_by_their_names(self):
        save = self.open()
        imp = save["monsters"]["monsters:0@1"]
        self.assertEqual((imp["name"], imp["hp"], imp["pos.y"]), ("imp", 100, 128.5))
        self.assertEqual(imp["pos"], {"x": 0.0, "y": 128.5, "z": 0.0})
        imp["hp"] = -7
        imp["pos.x"] = 0.5
        imp["loot"] = ["axe", "key", ""]
        imp["loot[1]"] = "9"
        imp["target"] = imp.handle
        self.assertEqual((imp["hp"], imp["pos.x"], imp["loot"]), (-7, 0.5, ["axe", "9", ""]))
        self.assertEqual(str(imp["target"]), "monsters:0@1")
        self.assertEqual(imp["target"], imp.handle)
        imp["target"] = None
        self.assertIsNone(imp["target"])
        imp.update({"hp": 5, "pos": {"z": 1}})
        self.assertEqual(imp["pos"], {"x": 0.5, "y": 128.5, "z": 1.0})
        self.assertEqual(imp.value()["hp"], 5)

    def test_what_does_not_fit_changes_nothing(self):
        save = self.open()
        before = save.state_hash()
        imp = save["monsters"]["monsters:0@1"]
        for path, value, text in [("hp", 1 << 31, "from -2147483648 to 2147483647"),
                                  ("hp", "many", "'many'"), ("hp", None, "null"),
                                  ("hpp", 1, "no field 'hpp'"), ("pos", {"w": 1}, "'w'"),
                                  ("loot[9]", 1, "loot[9]"), ("hp[0]", 1, "no field 'hp[0]'"),
                                  ("loot<a>", 1, "<a>"), ("pos.x", 10**400, "a number of f32"),
                                  ("pos", 3, "an object is needed")]:
            with self.assertRaises(hdb.Error) as caught:
                imp[path] = value
            self.assertIn(text.replace("'many'", '"many"'), str(caught.exception))
            self.assertTrue(caught.exception.code)
        with self.assertRaises(hdb.Error):
            save["monsters"].insert({"hp": 1.5})
        with self.assertRaises(hdb.NotFoundError):
            imp["hpp"]
        self.assertEqual(save.state_hash(), before)

    def test_a_handle_of_another_table_names_nothing(self):
        save = self.open()
        monsters = save["monsters"]
        before = save.state_hash()
        axe = save["weapons"].handles()[0]  # its bits are those of a monster, too
        self.assertIn(axe.bits, [handle.bits for handle in monsters.handles()])
        self.assertNotIn(axe, monsters)
        for use in (lambda: monsters[axe], lambda: monsters.erase(axe)):
            with self.assertRaisesRegex(hdb.NotFoundError, "weapons:0@1 is not a handle of table"):
                use()
        imp = monsters["monsters:0@1"]
        with self.assertRaisesRegex(hdb.Error, "cannot refer to a record of table 'monsters'"):
            imp["weapon"] = imp.handle
        for key in 0, imp, None:
            with self.assertRaisesRegex(TypeError, "found by its handle"):
                monsters[key]
        self.assertEqual(save.state_hash(), before)
        imp["weapon"] = monsters.handle(0, 0)  # null
        self.assertIsNone(imp["weapon"])

    def test_a_record_is_the_value_of_a_handle_field(self):
        save = self.open()
        monsters = save["monsters"]
        imp, other = list(monsters)[:2]
        imp["target"] = other
        self.assertEqual(imp["target"], other.handle)
        imp.update({"target": imp, "weapon": next(iter(save["weapons"]))})
        self.assertEqual((imp["target"], str(imp["weapon"])), (imp.handle, "weapons:0@1"))
        self.assertEqual(monsters.insert({"target": imp})["target"], imp.handle)
        with self.assertRaisesRegex(hdb.Error, "cannot refer to a record of table 'monsters'"):
            imp["weapon"] = other
        with self.assertRaisesRegex(TypeError, "field 'hp' of monsters:0@1 cannot .* type Record"):
            imp["hp"] = imp

    def test_numbers_that_json_does_not_have_name_their_field(self):
        save = self.open()
        before = save.state_hash()
        imp = save["monsters"]["monsters:0@1"]
        for path, value, text in [
                ("hp", math.nan, "nan is not a value of field 'hp' of monsters:0@1"),
                ("hp", -math.inf, "-inf is not a value of field 'hp'"),
                ("name", math.nan, "nan is not a value of field 'name'"),
                ("loot", ["axe", math.inf], "inf is not a value of field 'loot[1]'"),
                ("", {"pos": {"x": 1}, "hp": math.nan}, "nan is not a value of field 'hp'")]:
            with self.assertRaises(hdb.Error) as caught:
                imp[path] = value
            self.assertIn(text, str(caught.exception))
            self.assertEqual(caught.exception.code, "invalid_value")
            self.assertTrue(caught.exception.next_step)
        with self.assertRaisesRegex(hdb.Error, "field 'hp' of a record of table 'monsters'"):
            save["monsters"].insert({"hp": math.nan})
        for path, value in [("hp", 3j), ("pos", {(1, 2): 3}), ("loot", [object()]), ("hp", save)]:
            with self.assertRaisesRegex(TypeError, "hdb: field .* of monsters:0@1 cannot hold"):
                imp[path] = value
        self.assertEqual(save.state_hash(), before)

    def test_names_and_paths_are_texts_without_zero_bytes(self):
        save = self.open()
        monsters = save["monsters"]
        imp = monsters["monsters:0@1"]
        for use in (lambda: save[0], lambda: 0 in save, lambda: imp[0], lambda: imp[b"hp"],
                    lambda: monsters.find(5), lambda: monsters.column(5),
                    lambda: imp.__setitem__(0, 1), lambda: save.save(title=5),
                    lambda: monsters.insert({}, name=5)):
            with self.assertRaisesRegex(TypeError, "hdb: the .* is a str, not (int|bytes)"):
                use()
        for use in (lambda: save["monsters\0x"], lambda: "monsters\0x" in save,
                    lambda: imp["hp\0x"], lambda: imp.__setitem__("hp\0x", 1),
                    lambda: monsters.column("hp\0x"), lambda: save.save(title="a\0b")):
            with self.assertRaisesRegex(ValueError, "hdb: the .* has a zero byte"):
                use()
        self.assertEqual(hdb.read_info(self.path).title, save.info.title)

    def test_bits_become_handles(self):
        save = self.open()
        monsters = save["monsters"]
        self.assertEqual([monsters.handle_of(bits) for bits in monsters.handle_bits()],
                         monsters.handles())
        axe = monsters["monsters:0@1"]["weapon"]
        weapons = monsters.column("weapon")
        self.assertEqual(save["weapons"].handle_of(weapons[0]), axe)
        self.assertEqual(monsters.handle_of(0), hdb.NULL)
        for bits in -1, 1 << 64, (1 << 63) + 1:
            with self.assertRaisesRegex(ValueError, "not a handle of table 'monsters'"):
                monsters.handle_of(bits)
        for slot, generation in (1 << 32, 0), (-1, 1), (0, 1 << 31):
            with self.assertRaisesRegex(ValueError, "slots are from 0 to 4294967295"):
                monsters.handle(slot, generation)
        imp = monsters.handle(0, 1)
        for key in "monsters:4294967296@0", hdb.Handle("monsters", imp.bits + (1 << 64)):
            self.assertNotIn(key, monsters)  # though its low bits are those of a record
        health = self.open(FIXTURES / "components.hdb")["Health"]
        self.assertEqual([health.handle_of(bits) for bits in health.handle_bits()],
                         health.handles())

    def test_every_fixture_is_read_and_written_back_bit_by_bit(self):
        records = 0
        for path in sorted(FIXTURES.rglob("*.hdb")):
            if "invalid" in path.parts:
                continue
            save = self.open(path)
            for table in save:
                # An edit ends a sort that is under way, which the state has, too.
                before = None if table.name == "scores" else save.state_hash()
                for record in table:
                    value = record.value()
                    record.update(value)
                    for name, part in value.items():
                        self.assertEqual(repr(record[name]), repr(part))
                        record[name] = part
                    records += 1
                if before is not None:
                    self.assertEqual(save.state_hash(), before, f"{path}: {table.name}")
        self.assertGreater(records, 1000)

    def test_numbers_keep_every_bit(self):
        save = self.open(FIXTURES / "every_field.hdb")
        thing = next(iter(save["things"]))
        for path, value in [("ularge", 2**64 - 1), ("large", -2**63), ("large", 2**53 + 1),
                            ("precise", 0.1), ("precise", math.inf), ("precise", -math.inf),
                            ("precise", 5e-324), ("text", "\u00e4 \U0001f600 \"\\\n"),
                            ("secret", b"\x00\xff"), ("flag", True), ("maybe", None),
                            ("either", hdb.Variant(0, 5)), ("weights", [0.25, -1.5])]:
            thing[path] = value
            self.assertEqual(thing[path], value, path)
        thing["precise"] = -0.0
        self.assertEqual(math.copysign(1, thing["precise"]), -1)
        for path in "precise", "real":
            thing[path] = math.nan
            self.assertTrue(math.isnan(thing[path]))
        self.assertEqual(thing["pos.x"], thing["pos"]["x"])

    def test_records_come_and_go(self):
        save = self.open()
        monsters = save["monsters"]
        boss = monsters.insert({"name": "boss", "hp": 900})
        self.assertEqual(len(monsters), 12)
        self.assertEqual(boss["loot"], [])
        self.assertIn(boss.handle, monsters)
        self.assertEqual(monsters[str(boss.handle)].value(), boss.value())
        boss.erase()
        self.assertNotIn(boss.handle, monsters)
        with self.assertRaises(KeyError):
            monsters[boss.handle]
        with self.assertRaises(hdb.NotFoundError) as caught:
            boss["hp"]
        self.assertIn("names no record", str(caught.exception))
        for key in "nobody", "weapons:0@1", "monsters:5000000@1":
            self.assertNotIn(key, monsters)
        monsters.clear()
        self.assertEqual(list(monsters), [])
        with self.assertRaises(hdb.Error) as caught:
            save["clock"].insert({})
        self.assertEqual(caught.exception.code, "bad_options")

    def test_names_and_components(self):
        save = self.open(FIXTURES / "components.hdb")
        textures = save["textures"]
        self.assertTrue(textures.has_names)
        made = textures.insert(name="sky")
        self.assertEqual((made.name, textures.find("sky")), ("sky", made.handle))
        self.assertEqual(textures["sky"].handle, made.handle)
        made.name = "clouds"
        self.assertIsNone(textures.find("sky"))
        made.name = None
        self.assertIsNone(made.name)
        health = save["Health"]
        self.assertEqual(health.owner, "entities")
        entity = save["entities"].insert()
        self.assertNotIn(entity.handle, health)
        health.insert(owner=entity.handle)
        self.assertIn(entity.handle, health)
        self.assertEqual(health[entity.handle].handle, entity.handle)


class Columns(Case):
    def test_columns_are_the_fields_of_all_records_in_order(self):
        save = self.open()
        monsters = save["monsters"]
        self.assertEqual(monsters.column_paths(),
                         ["hp", "pos.x", "pos.y", "pos.z", "weapon", "target"])
        for path in monsters.column_paths():
            wanted = [record[path] for record in monsters]
            if path in ("weapon", "target"):
                wanted = [handle.bits if handle else 0 for handle in wanted]
            self.assertEqual(monsters.column(path).tolist(), wanted, path)
        hp = monsters.column("hp")
        self.assertEqual(type(hp).__module__, "numpy" if HAS_NUMPY else "array")
        self.assertEqual(hp.itemsize, 4)
        self.assertEqual([each.handle for each in monsters], monsters.handles())
        monsters.clear()
        self.assertEqual(len(monsters.column("hp")), 0)
        self.assertEqual(monsters.handles(), [])
        for path in "name", "loot", "loot[0]", "pos", "hpp":
            with self.assertRaises(hdb.Error) as caught:
                monsters.column(path)
            self.assertEqual("record by record" in caught.exception.next_step, path != "hpp")

    def test_columns_of_every_type(self):
        save = self.open(FIXTURES / "every_field.hdb")
        things = save["things"]
        self.assertGreater(len(things.column_paths()), 15)
        for path in things.column_paths():
            wanted = [record[path] for record in things]
            column = things.column(path).tolist()
            for given, value in zip(column, wanted):
                value = 0 if value is None else getattr(value, "bits", value)
                if isinstance(value, str):  # the name of an enumerator
                    continue
                self.assertTrue(given == value or given != given, f"{path}: {given} {value}")

    def test_a_data_frame_needs_pandas(self):
        save = self.open()
        try:
            import pandas  # noqa: F401
        except ImportError:
            with self.assertRaisesRegex(ImportError, "pandas"):
                save["monsters"].to_pandas()
            return
        self.assertEqual(save["monsters"].to_pandas([]).shape, (11, 0))
        frame = save["monsters"].to_pandas()
        self.assertEqual(frame.loc["monsters:0@1", "hp"], 100)


class Files(Case):
    def test_what_is_saved_is_loaded_again(self):
        save = self.open()
        save["monsters"]["monsters:0@1"]["hp"] = 1
        wanted = save.state_hash()
        title = save.info.title
        save.save(backups=1)
        self.assertTrue((self.folder / "slot1.hdb.1").exists())
        save.save()  # its own file again
        self.assertEqual(hdb.read_info(self.path).sequence, save.info.sequence)
        again = self.open()
        self.assertEqual((again.state_hash(), again.info.title), (wanted, title))
        again.save(self.folder / "other.hdb", title="Other")
        self.assertEqual(hdb.read_info(self.folder / "other.hdb").title, "Other")

    @unittest.skipUnless(sys.platform == "linux", "names are any bytes")
    def test_names_of_files_are_any_bytes(self):
        path = os.fsencode(self.folder) + b"/\xff.hdb"
        shutil.copy(self.path, path)
        for each in path, os.fsdecode(path):
            save = self.open(each)
            save.save()
            self.assertEqual(save.info, hdb.read_info(each))

    def test_a_file_that_another_program_saved_stays(self):
        mine, other = self.open(), self.open()
        other.save()
        with self.assertRaises(hdb.Error) as caught:
            mine.save()
        self.assertEqual(caught.exception.code, "superseded")
        self.assertIn("slot1.hdb", str(caught.exception))
        self.assertIn("open the file again", caught.exception.next_step)
        self.path.unlink()
        with self.assertRaisesRegex(hdb.Error, "does not exist any more") as caught:
            mine.save()
        self.assertEqual(caught.exception.code, "superseded")
        self.assertNotIn("open the file", caught.exception.next_step)
        self.assertIn("save to another path", caught.exception.next_step)
        mine.save(self.folder / "other.hdb")

    def test_options_of_a_save_have_ranges(self):
        save = self.open()
        for name, least, most in (("backups", 0, 10000), ("level", 1, 19), ("threads", 1, 1024)):
            for value in least - 1, most + 1, (1 << 32) + 1:
                with self.assertRaisesRegex(ValueError, f"hdb: {name} is {value}, but may be from "
                                                        f"{least} to {most}"):
                    save.save(**{name: value})
            with self.assertRaisesRegex(TypeError, f"hdb: {name} is an int, not float"):
                save.save(**{name: 1.0})
        self.assertEqual(save.info, hdb.read_info(self.path))

    def test_blobs_and_unknown_tables_are_saved_again(self):
        shutil.copy(FIXTURES / "all_kinds.hdb", self.path)
        before = hdb.read_info(self.path).state_hash
        self.open().save(self.folder / "copy.hdb")
        self.assertEqual(hdb.read_info(self.folder / "copy.hdb").state_hash, before)

    def test_undo(self):
        save = self.open()
        before = save.capture()
        wanted = save.state_hash()
        save["monsters"].clear()
        self.assertNotEqual(save.state_hash(), wanted)
        save.restore(before)
        self.assertEqual((save.state_hash(), before.state_hash()), (wanted, wanted))
        self.assertEqual(len(save["monsters"]), 11)

    def test_errors_name_the_file_and_the_next_step(self):
        with self.assertRaises(hdb.Error) as caught:
            hdb.open(self.folder / "no.hdb")
        self.assertEqual(caught.exception.code, "file_not_found")
        self.assertIn("no.hdb", str(caught.exception))
        self.assertTrue(caught.exception.next_step)
        self.path.write_bytes(self.path.read_bytes()[:1000])
        with self.assertRaises(hdb.Error):
            hdb.open(self.path)
        with self.assertRaisesRegex(ValueError, "zero byte"):
            hdb.open(f"{self.path}\0.bak")
        for path in sorted((FIXTURES / "invalid").glob("*.hdb"))[:60]:
            try:
                hdb.open(path).close()
            except hdb.Error as error:
                self.assertIn(path.name, str(error))
        save = self.open(FIXTURES / "before.hdb")
        with self.assertRaisesRegex(KeyError, "monsters"):
            save["nothing"]
        monsters = save["monsters"]
        for use in (lambda: save["nothing"], lambda: monsters["nobody"],
                    lambda: monsters["weapons:0@1"], lambda: monsters["monsters:77@1"],
                    lambda: monsters[save["weapons"].handle(0, 1)]):
            with self.assertRaises(hdb.NotFoundError) as caught:
                use()
            self.assertTrue(caught.exception.next_step)

    def test_a_closed_database_is_not_used(self):
        save = self.open()
        monsters = save["monsters"]
        imp = monsters["monsters:0@1"]
        save.close()
        save.close()
        for use in (lambda: imp["hp"], lambda: len(monsters), lambda: save["monsters"],
                    save.capture, lambda: monsters.column("hp"), lambda: imp.name):
            with self.assertRaisesRegex(ValueError, "closed"):
                use()


class Programs(Case):
    def run_python(self, *arguments):
        return subprocess.run([sys.executable, "-B", *map(str, arguments)], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder)

    def test_summary(self):
        made = self.run_python("-m", "hdb", "slot1.hdb")
        self.assertEqual((made.returncode, made.stderr), (0, ""))
        lines = made.stdout.splitlines()
        self.assertEqual(lines[0], "slot1.hdb: format 0.10, 3184 bytes")
        self.assertEqual(lines[-2], "monsters: 11 records (name, hp, pos, weapon, target, loot)")
        page = (ROOT / "tools/python/README.md").read_text()
        for line in lines[1:3] + lines[-3:]:
            self.assertIn(line + "\n", page)
        made = self.run_python("-m", "hdb", "no.hdb")
        self.assertEqual((made.returncode, made.stdout), (1, ""))
        self.assertTrue(made.stderr.startswith("hdb: ") and "no.hdb" in made.stderr)
        self.assertEqual(self.run_python("-m", "hdb").returncode, 2)
        made = self.run_python("-m", "hdb", FIXTURES / "odd_names.hdb")
        self.assertEqual(made.returncode, 0)
        self.assertNotIn("\u202e", made.stdout)

    def test_the_programs_of_the_page(self):
        page = (ROOT / "tools/python/README.md").read_text()
        blocks = re.findall(r"```python\n(.*?)```", page, flags=re.S)
        self.assertEqual(len(blocks), 3)
        (self.folder / "page.py").write_text("\n".join(blocks))
        made = self.run_python("page.py")
        self.assertEqual((made.returncode, made.stderr), (0, ""), made.stdout)
        self.assertIn("monsters 11 [", made.stdout)

    def test_the_example_that_edits_a_save(self):
        example = ROOT / "tools/examples/edit_save.py"
        save = self.open()
        for slot in 2, 3:
            save["monsters"][f"monsters:{slot}@1"]["hp"] = 60 - slot
        save.save()
        low = [str(each.handle) for each in save["monsters"] if each["hp"] < 61]
        self.assertTrue(0 < len(low) < 11)
        made = self.run_python(example, "slot1.hdb", "monsters", "hp", "61")
        self.assertEqual((made.returncode, made.stderr), (0, ""))
        self.assertEqual(made.stdout, "".join(f"{each}: hp is now 61\n" for each in low))
        again = self.open()
        self.assertEqual(min(again["monsters"].column("hp")), 61)
        self.assertTrue((self.folder / "slot1.hdb.1").exists())
        for field, least, wanted in (("mana", "1", "no field 'mana'"), ("target", "1", "number"),
                                     ("hp", str(1 << 40), "a whole number from"),
                                     ("hp", "many", "invalid int value")):
            made = self.run_python(example, "slot1.hdb", "monsters", field, least)
            self.assertNotEqual(made.returncode, 0)
            self.assertRegex(made.stderr, f"(?m)^edit_save.py: .*{wanted}")
            self.assertNotIn("Traceback", made.stderr)
            self.assertNotIn("corrupt", made.stderr)

    def test_a_library_that_is_missing_is_said(self):
        code = "import hdb"
        old = os.environ["HDB_LIBRARY"]
        os.environ["HDB_LIBRARY"] = "/no/such/libhdb_c.so"
        self.addCleanup(os.environ.__setitem__, "HDB_LIBRARY", old)
        made = self.run_python("-c", code)
        self.assertNotEqual(made.returncode, 0)
        self.assertIn("HDB_LIBRARY", made.stderr.splitlines()[-1])

    def test_a_library_beside_the_package_is_found(self):
        shutil.copytree(ROOT / "tools/python/hdb", self.folder / "hdb",
                        ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(os.environ["HDB_LIBRARY"], self.folder / "hdb/libhdb_c.so")
        old = {name: os.environ.pop(name) for name in ("HDB_LIBRARY", "PYTHONPATH")}
        self.addCleanup(os.environ.update, old)
        made = self.run_python("-c", "import hdb; print(hdb.library_path())")
        self.assertEqual((made.stdout.strip(), made.stderr),
                         (str(self.folder / "hdb/libhdb_c.so"), ""))


if __name__ == "__main__":
    if HAS_NUMPY:
        import numpy  # noqa: F401  (Debian: python3-numpy)
    unittest.main(argv=sys.argv[:1])
