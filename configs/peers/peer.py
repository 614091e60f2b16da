"""What a peer of a sweep needs: the protocol of docs/sweeps.md, and Futhark's binary format.

A driver reads its arguments, makes a function without parameters, and serves it:

    arguments = peer.read(sys.argv[1])
    peer.serve(lambda: numpy.sort(arguments[0]), version="numpy " + numpy.__version__)

The function gives a number, an array, or a list of these. It isn't called again for its result:
the last call that was measured tells it.
"""

import json
import struct
import sys
import time

import numpy

_TYPES = {
    "  i8": "<i1", " i16": "<i2", " i32": "<i4", " i64": "<i8",
    "  u8": "<u1", " u16": "<u2", " u32": "<u4", " u64": "<u8",
    " f16": "<f2", " f32": "<f4", " f64": "<f8", "bool": "?",
}
_NAMES = {numpy.dtype(t): name for name, t in _TYPES.items()}


def read(path):
    """Returns the values of a file as arrays; a number is an array without dimensions."""
    with open(path, "rb") as file:
        data = file.read()
    values = []
    at = 0
    while at < len(data):
        mark, version, rank = struct.unpack_from("<cBB", data, at)
        if mark != b"b" or version != 2:
            raise ValueError("%s has no value in Futhark's binary format at byte %d" % (path, at))
        kind = numpy.dtype(_TYPES[data[at + 3 : at + 7].decode("ascii")])
        shape = struct.unpack_from("<%dQ" % rank, data, at + 7)
        at += 7 + 8 * rank
        count = int(numpy.prod(shape, dtype=numpy.int64))
        values.append(numpy.frombuffer(data, kind, count, at).reshape(shape).copy())
        at += count * kind.itemsize
    return values


def write(path, values):
    """Writes numbers and arrays."""
    with open(path, "wb") as file:
        for value in values:
            array = numpy.asarray(value)
            kind = array.dtype.newbyteorder("<")
            file.write(struct.pack("<cBB", b"b", 2, array.ndim))
            file.write(_NAMES[kind].encode("ascii"))
            file.write(struct.pack("<%dQ" % array.ndim, *array.shape))
            file.write(numpy.ascontiguousarray(array, kind).tobytes())


def serve(function, version="", finish=lambda: None):
    """Answers lines until there are no more.

    finish -- waits until all calls have ended, if calls don't wait themselves (as on a GPU)
    """
    say({"ready": True, "version": version})
    last = None
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        try:
            if word == "run":
                start, cpu = time.perf_counter(), time.process_time()
                for _ in range(int(rest)):
                    last = function()
                finish()
                say({"seconds": time.perf_counter() - start, "cpu": time.process_time() - cpu})
            elif word == "result":
                values = function() if last is None else last
                write(rest, values if isinstance(values, (list, tuple)) else [values])
                say({"written": True})
            elif word == "quit":
                return
            else:
                say({"error": "there is no command " + word})
        except Exception as fault:  # The sweep has a line for it.
            say({"error": "%s: %s" % (type(fault).__name__, fault)})


def say(answer):
    print(json.dumps(answer), flush=True)
