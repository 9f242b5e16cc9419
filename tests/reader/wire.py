"""The smallest pieces of an hdb file: numbers, varints, texts, hashes; and the refusal of a file
(FORMAT.md, 1)."""

import struct

import xxhash


class Refused(Exception):
    """The file breaks a rule of the section of FORMAT.md that is named first. `computed` is the
    right state hash, if only the state hash is wrong."""

    def __init__(self, section, reason, computed=None):
        super().__init__(f"section {section}: {reason}")
        self.computed = computed


class NeedsNewer(Refused):
    """The file is not broken, as far as can be told, but a newer reader is needed."""

    def __init__(self, section, reason):
        super().__init__(f"{section}, newer", reason)


def must(condition, section, reason):
    """Refuses the file unless the condition holds."""
    if not condition:
        raise Refused(section, reason)


def must_know(condition, section, reason):
    """Refuses the file unless the condition holds that this reader knows all that it must."""
    if not condition:
        raise NeedsNewer(section, f"{reason}: a newer reader is needed")


def hash64(data):
    """XXH3-64 as a number."""
    return xxhash.xxh3_64_intdigest(data)


def hash128(data, seed=0):
    """XXH3-128 as a number."""
    return xxhash.xxh3_128_intdigest(data, seed)


def hash_bytes(number):
    """A hash128 as it is stored: two u64, the low half first, which is one little-endian number of
    16 bytes."""
    return number.to_bytes(16, "little")


def u32s(numbers):
    """Numbers as u32, one after another."""
    return struct.pack(f"<{len(numbers)}I", *numbers)


def varint_bytes(number):
    """The shortest varint."""
    data = bytearray()
    while number >= 0x80:
        data.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(data) + bytes([number])


def well_formed(data):
    """Whether bytes are UTF-8 without surrogates and overlong forms."""
    try:
        data.decode("utf-8")
        return True
    except UnicodeDecodeError:
        return False


def is_name(data):
    """Whether the bytes of a text are a name."""
    return 1 <= len(data) <= 255 and all(byte >= 0x20 and byte != 0x7F for byte in data)


class Cursor:
    """Reads one part of a file from its beginning to its end; a read beyond the end is
    refused."""

    def __init__(self, data, section, what):
        self.data, self.section, self.what, self.at = data, section, what, 0

    def left(self):
        return len(self.data) - self.at

    def take(self, size):
        must(size <= self.left(), self.section, f"{self.what} ends within a value")
        self.at += size
        return self.data[self.at - size : self.at]

    def number(self, size, signed=False):
        return int.from_bytes(self.take(size), "little", signed=signed)

    def u8(self):
        return self.number(1)

    def u16(self):
        return self.number(2)

    def u32(self):
        return self.number(4)

    def u64(self):
        return self.number(8)

    def i64(self):
        return self.number(8, signed=True)

    def hash128(self):
        return self.number(16)

    def zeros(self, size):
        must(not any(self.take(size)), self.section, f"reserved bytes of {self.what} are not zero")

    def varint(self):
        number = 0
        for place in range(10):
            byte = self.u8()
            number |= (byte & 0x7F) << (7 * place)
            if byte < 0x80:
                must(
                    byte != 0 or place == 0,
                    "1",
                    f"a varint of {self.what} is not in its shortest form",
                )
                must(number < 1 << 64, "1", f"a varint of {self.what} has more than 64 bits")
                return number
        raise Refused("1", f"a varint of {self.what} has more than ten bytes")

    def text(self, most=None):
        size = self.varint()
        must(
            most is None or size <= most,
            self.section,
            f"a text of {self.what} has more than {most} bytes",
        )
        data = self.take(size)
        must(well_formed(data), "1", f"a text of {self.what} is not UTF-8")
        return data

    def name(self):
        data = self.text(255)
        must(is_name(data), "1", f"a name of {self.what} is empty or has control characters")
        return data

    def end(self):
        must(self.left() == 0, self.section, f"{self.what} has bytes after its end")
