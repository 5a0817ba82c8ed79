# SPDX-License-Identifier: Apache-2.0
"""What the authors of every card's data publish, imitated below a folder: fetch-authors.py CARDS OUT PORT [MIRROR]

Every address in OUT/cards, the cards rewritten, is http://127.0.0.1:PORT/ok/<host>/<path>, and OUT/www/<host>/<path> holds
what the address should: the file itself, or an archive of the kind that its name tells with the member in it, or a longer
file of which the card takes the first part. Without MIRROR contents are made up, small, and the cards' checksums and sizes
are those of what was made up. With MIRROR contents are the real ones, and the cards keep checksums and sizes; cards whose
files are not all in the mirror, or come as they are published, are left out, and always those with terms.

OUT/expected: a line "dataset<TAB>folder/file<TAB>sha256" for every file that fetch should make."""
import collections
import ctypes
import gzip
import hashlib
import io
import lzma
import os
import struct
import sys
import tarfile
import zipfile
import zlib

cards, out, port = sys.argv[1:4]
mirror = sys.argv[4] if len(sys.argv) > 4 else None
IDX_ITEMS = 20007  # of the IDX files that are made up: more than any card takes of them


def read_card(path):
    """Sections as dictionaries; continuation lines joined."""
    card, section, key = collections.OrderedDict(), None, None
    for line in open(path, encoding="utf-8"):
        line = line.rstrip("\n")
        if line.startswith("["):
            section, key = card.setdefault(line[1:-1], collections.OrderedDict()), None
        elif line[:1].isspace() and key:
            section[key] += " " + line.strip()
        elif "=" in line:
            key, value = (part.strip() for part in line.split("=", 1))
            section[key] = value
    return card


def items(card, section, role):
    return [x for x in card.get(section, {}).get(role, "").split(", ") if x]


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def made_up(key, conversion):
    """Contents for a file, the same for every card that names it."""
    if conversion.startswith("idx-first") or conversion == "unpack":
        count = int(conversion.split()[1]) if " " in conversion else IDX_ITEMS
        if "labels" in key:
            return struct.pack(">BBBBI", 0, 0, 8, 1, count) + bytes(i % 10 for i in range(count))
        return struct.pack(">BBBBIII", 0, 0, 8, 3, count, 2, 2) + bytes(i % 251 for i in range(4 * count))
    if conversion.startswith("first"):
        return (key * 100000)[: int(conversion.split()[1])].encode().ljust(int(conversion.split()[1]), b".")
    text = ("%s holds this\n" % key).encode() * 20
    base = key[:-5] if key.endswith(".pack") else key
    for ending, start in ((".npz", b"PK\3\4"), (".zip", b"PK\3\4"), (".npy", b"\x93NUMPY"), (".mat", b"MATLAB 5.0"),
                          (".pt", b"\x80\2")):
        if base.endswith(ending):
            return start + text
    return gzip.compress(text, mtime=0) if base.endswith(".gz") else text


def longer(data, conversion):
    """A file whose first part is the data."""
    if conversion.startswith("idx-first") and not mirror:
        return made_up("labels" if data[3] == 1 else "images", "unpack")
    if conversion.startswith("idx-first"):
        count, size = struct.unpack(">I", data[4:8])[0], 784 if data[3] == 3 else 1
        return data[:4] + struct.pack(">I", count + 7) + data[8:] + bytes(7 * size)
    return data + b"more" * 100 if conversion.startswith("first") else data


def make_zip(members):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as z:
        z.writestr("readme.txt", "as the authors pack it")
        for name, data in members.items():
            z.writestr(name, data)
    return packed.getvalue()


def make_tar(members):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=1) as t:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            t.addfile(info, io.BytesIO(data))
    return packed.getvalue()


def make_rar(members):
    """Version 4, nothing compressed."""
    def block(kind, flags, rest):
        body = struct.pack("<BHH", kind, flags, 7 + len(rest)) + rest
        return struct.pack("<H", zlib.crc32(body) & 0xFFFF) + body
    packed = b"Rar!\x1a\x07\x00" + block(0x73, 0, bytes(6))
    for name, data in members.items():
        name = name.encode()
        fields = struct.pack("<IIBIIBBHI", len(data), len(data), 3, zlib.crc32(data), 0x21 << 16, 20, 0x30, len(name), 0o100644)
        packed += block(0x74, 0x8000, fields + name) + data
    return packed + block(0x7B, 0x4000, b"")


def make_7z(members):
    """By the library that reads it, which writes it, too."""
    lib = ctypes.CDLL("libarchive.so.13")
    for name in ("archive_write_new", "archive_entry_new"):
        getattr(lib, name).restype = ctypes.c_void_p
    path = os.path.join(out, "tmp.7z").encode()
    a = ctypes.c_void_p(lib.archive_write_new())
    lib.archive_write_set_format_7zip(a)
    assert lib.archive_write_open_filename(a, path) == 0
    for name, data in members.items():
        e = ctypes.c_void_p(lib.archive_entry_new())
        lib.archive_entry_set_pathname(e, name.encode())
        lib.archive_entry_set_size(e, ctypes.c_int64(len(data)))
        lib.archive_entry_set_filetype(e, ctypes.c_uint(0o100000))
        lib.archive_entry_set_perm(e, 0o644)
        assert lib.archive_write_header(a, e) == 0
        lib.archive_write_data.restype = ctypes.c_ssize_t
        assert lib.archive_write_data(a, data, ctypes.c_size_t(len(data))) == len(data)
        lib.archive_entry_free(e)
    assert lib.archive_write_close(a) == 0
    lib.archive_write_free(a)
    with open(path, "rb") as f:
        packed = f.read()
    os.remove(path)
    return packed


MAKERS = {".zip": make_zip, ".gz": make_tar, ".rar": make_rar, ".7z": make_7z}
plain, packs, expected = {}, collections.defaultdict(dict), []
contents = {}  # by folder/file


def real(folder, names):
    """The last form's bytes, unpacked from another one where need be; None: not in the mirror."""
    for i, name in enumerate(names):
        path = os.path.join(mirror, folder, name)
        if not os.path.exists(path):
            continue
        data = open(path, "rb").read()
        if i + 1 == len(names):
            return data
        return lzma.decompress(data) if name.endswith(".xz") else gzip.decompress(data) if name.endswith(".gz") else None
    return None


def publish(url, data, conversion):
    place = url.split("://", 1)[1]
    data = longer(data, conversion)
    if "!/" in place:
        pack, member = place.split("!/", 1)
        packs[pack][member.replace("*", "data")] = data
    else:
        if conversion and place.endswith(".gz"):
            data = gzip.compress(data, 1, mtime=1)
        plain[place] = data


def is_changed(card):
    """Whether something is unpacked or cut on the way."""
    urls, files = card.get("urls", {}).values(), card.get("files", {}).values()
    return "convert" in card or any("!/" in u for u in urls) or any(", " in f for f in files)


def take_card(path):
    card = read_card(path)
    name, folder = card["dataset"]["name"], card["dataset"].get("folder", card["dataset"]["name"])
    found = {}
    if "terms" in card["dataset"] or (mirror and not is_changed(card)):
        return
    for role in card.get("files", {}):
        names, conversion = items(card, "files", role), card.get("convert", {}).get(role, "")
        key = os.path.normpath(os.path.join(folder, names[-1]))
        if not items(card, "urls", role):
            return
        if mirror:
            found[role] = real(folder, names)
            if found[role] is None or sha256(found[role]) != (items(card, "sha256", role) or [""])[-1]:
                return
        else:
            found[role] = contents.setdefault(key, made_up(key, conversion))
    for role, data in found.items():
        names = items(card, "files", role)
        if not mirror:
            card.setdefault("sha256", {})[role] = ", ".join(["0" * 64] * (len(names) - 1) + [sha256(data)])
            card.setdefault("bytes", {})[role] = ", ".join(["1"] * (len(names) - 1) + [str(len(data))])
        for url in items(card, "urls", role):
            publish(url, data, card.get("convert", {}).get(role, ""))
        here = ["http://127.0.0.1:%s/ok/%s" % (port, url.split("://", 1)[1]) for url in items(card, "urls", role)]
        card["urls"][role] = ", ".join(here)
        expected.append((name, os.path.normpath(os.path.join(folder, names[-1])), sha256(data)))
    if found:
        write_card(os.path.join(out, "cards", os.path.basename(path)), card)


def write_card(path, card):
    with open(path, "w", encoding="utf-8") as f:
        for section, pairs in card.items():
            print("[%s]" % section, file=f)
            for key, value in pairs.items():
                print(key, "=", value.replace(", ", ",\n  "), file=f)


def put(place, data):
    path = os.path.join(out, "www", place)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)


os.makedirs(os.path.join(out, "cards"), exist_ok=True)
for card_name in sorted(os.listdir(cards)):
    take_card(os.path.join(cards, card_name))
for place, data in plain.items():
    put(place, data)
for place, members in packs.items():
    put(place, MAKERS[os.path.splitext(place)[1]](members))
with open(os.path.join(out, "expected"), "w") as f:
    for line in expected:
        print(*line, sep="\t", file=f)
