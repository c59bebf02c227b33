"""The calls of the page "resource allocation" in Python, in their order, first without and then with `acl.init`."""

import acl


def program(device_id):
    # ANCHOR: program
    ret = acl.rt.set_device(device_id)
    stream, ret = acl.rt.create_stream()
    # ... the work
    ret = acl.rt.destroy_stream(stream)
    ret = acl.rt.reset_device(device_id)
    # ANCHOR_END: program
    return ret


print("as printed, without acl.init:", program(0))
print("init", acl.init())
print("with acl.init:", program(0))
print("finalize", acl.finalize())
