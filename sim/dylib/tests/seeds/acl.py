"""The functions of AscendCL under their names in Python, for programs on the simulator's shared object.

pyACL names a C function in lower case, with a dot after its group: `aclrtCreateStream` is `acl.rt.create_stream`.
What C gives back through a pointer, Python returns before the code. This file is no part of pyACL. It has what the
programs beside it call, and takes every call to the C function whose name is made from the Python name.
"""

import ctypes
import sys

_LIBRARY = ctypes.CDLL("libascendcl.so")

# What functions return through pointers, in the order of the arguments of C. They are the first arguments of these
# functions, or stand at the given place.
_OUT = {
    "aclrtCreateStream": (0, [ctypes.c_void_p]),
    "aclrtGetRunMode": (0, [ctypes.c_int]),
    "aclrtMalloc": (0, [ctypes.c_void_p]),
    "aclmdlQuerySizeFromMem": (2, [ctypes.c_size_t, ctypes.c_size_t]),
    "aclmdlLoadFromMemWithMem": (2, [ctypes.c_uint32]),
}

# Integers that are not 64 bits wide in C.
_NARROW = {"aclrtSetDevice": ctypes.c_int32, "aclrtResetDevice": ctypes.c_int32, "aclmdlUnload": ctypes.c_uint32}


class _Group:
    """A group of functions: `rt`, `mdl`, or none."""

    def __init__(self, prefix):
        self._prefix = prefix

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        c_name = self._prefix + "".join(word.capitalize() for word in name.split("_"))
        function = getattr(_LIBRARY, c_name)
        place, kinds = _OUT.get(c_name, (0, []))
        narrow = _NARROW.get(c_name, ctypes.c_size_t)

        def call(*arguments):
            out = [kind() for kind in kinds]
            given = [narrow(argument) for argument in arguments]
            code = function(*given[:place], *map(ctypes.byref, out), *given[place:])
            return (*(value.value or 0 for value in out), code) if out else code

        return call


class _Module(_Group):
    rt = _Group("aclrt")
    mdl = _Group("aclmdl")

    def init(self):
        return _LIBRARY.aclInit(None)


sys.modules[__name__] = _Module("acl")
