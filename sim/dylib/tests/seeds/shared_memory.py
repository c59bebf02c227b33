"""The call of the page `load_from_mem_with_mem`, with its six arguments: two loads on one workspace and one copy of the
weights."""

import ctypes
import sys

import acl

content = open(sys.argv[1], "rb").read()
buffer = ctypes.create_string_buffer(content, len(content))
model, model_size = ctypes.addressof(buffer), len(content)

codes = [acl.init(), acl.rt.set_device(0)]
work_size, weight_size, ret = acl.mdl.query_size_from_mem(model, model_size)
codes.append(ret)
work_ptr, ret = acl.rt.malloc(work_size, 0)
codes.append(ret)
weight_ptr, ret = acl.rt.malloc(weight_size, 0)
codes.append(ret)
for _ in range(2):
    # ANCHOR: program
    model_id, ret = acl.mdl.load_from_mem_with_mem(model, model_size, work_ptr, work_size, weight_ptr, weight_size)
    # ANCHOR_END: program
    codes += [ret, acl.mdl.unload(model_id)]
codes += [acl.rt.free(work_ptr), acl.rt.free(weight_ptr), acl.rt.reset_device(0), acl.finalize()]
print("codes", codes)
