"""Ways to damage what a file holds: bytes, arrays, and values in JSON."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import numpy as np

WILD = (-1, 0, 1, 2**31 - 1, -(2**31), 2**40, 2**62, -(2**63))


def damaged_bytes(rng: np.random.Generator, content: bytes) -> bytes:
    """Cut, flip, overwrite, repeat or leave out some bytes."""
    if not content:
        return b"\0"
    at, length = int(rng.integers(len(content))), int(rng.integers(1, 9))
    match int(rng.integers(6)):
        case 0:
            return content[:at]
        case 1:
            flipped = bytes([content[at] ^ 1 << int(rng.integers(8))])
            return content[:at] + flipped + content[at + 1 :]
        case 2:
            return content[:at] + rng.bytes(length) + content[at + length :]
        case 3:
            return content[:at] + content[at : at + 50] + content[at:]
        case 4:
            return content[:at] + content[at + length :]
        case _:
            return content[:at] + bytes(length) + content[at + length :]


def damaged_array(rng: np.random.Generator, array: Any) -> Any:
    """Another length, shape or type, or wild numbers among the values."""
    array = np.array(array)
    match int(rng.integers(6)):
        case 0:
            return array[: len(array) // 2] if array.ndim else array[None]
        case 1:
            return array.reshape(-1, 1) if array.size else array[None]
        case 2:
            kinds = (np.int8, np.float16, np.complex128, "U3", "S2", "M8[s]", np.uint64, bool)
            with np.errstate(all="ignore"):
                return (
                    array.astype(str).astype("S2")
                    if rng.random() < 0.1
                    else _cast(array, kinds[int(rng.integers(len(kinds)))])
                )
        case 3 if array.size and array.dtype.kind in "iu":
            flat = array.reshape(-1).astype(np.int64)
            flat[int(rng.integers(flat.size))] = WILD[int(rng.integers(len(WILD)))]
            return flat.reshape(array.shape)
        case 4 if array.size and array.dtype.kind == "f":
            flat = array.reshape(-1).copy()
            flat[int(rng.integers(flat.size))] = rng.choice([np.nan, np.inf, 1e308, -1e-320])
            return flat.reshape(array.shape)
        case _:
            return rng.permutation(array.reshape(-1)).reshape(array.shape)


def _cast(array: Any, kind: Any) -> Any:
    return np.zeros(array.shape, kind) if array.dtype.kind in "OUSM" else array.astype(kind)


def damaged_json(rng: np.random.Generator, value: Any) -> Any:
    """Change one value somewhere in a tree of dicts and lists."""
    places = list(_places(value))
    holder, key = places[int(rng.integers(len(places)))]
    replacements = (None, -1, 0, 10**12, "", "builtins.eval", [], {}, True, 1e308, "../x")
    if rng.random() < 0.2:
        del holder[key]
    else:
        holder[key] = replacements[int(rng.integers(len(replacements)))]
    return value


def _places(value: Any) -> Any:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in list(items):
        yield value, key
        if isinstance(item, dict | list):
            yield from _places(item)


def damaged_archive(rng: np.random.Generator, content: bytes) -> bytes:
    """Change one member of a zip file: an array, a JSON tree or its bytes; or leave it out."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = str(rng.choice(list(members)))
    if rng.random() < 0.05:
        del members[name]
    elif name.endswith(".npy"):
        members[name] = _npy(damaged_array(rng, np.load(io.BytesIO(members[name]))))
    elif name.endswith((".json", "schema")):
        members[name] = json.dumps(damaged_json(rng, json.loads(members[name]))).encode()
    else:
        members[name] = damaged_bytes(rng, members[name])
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for each, data in members.items():
            archive.writestr(each, data)
    return packed.getvalue()


def _npy(array: Any) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()
