"""Messages in which one field is exchanged for a lie."""

from dataclasses import fields, replace


def inner(message):
    """What of a message holds cards and proofs: the lay of a TakeDiscards, else all of it."""
    return getattr(message, "lay", message)


def lying(message, name, lie):
    """The message with another value of this field, in its lay if it has one."""
    part = inner(message)
    changed = replace(part, **{name: lie})
    return changed if part is message else replace(message, lay=changed)


def unchecked(message, /, **lies):
    """The message with other values of these fields, which may be malformed."""
    changed = object.__new__(type(message))
    for each in fields(message):
        object.__setattr__(changed, each.name, lies.get(each.name, getattr(message, each.name)))
    return changed
