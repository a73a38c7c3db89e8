"""Messages with one field replaced by a lie."""

from dataclasses import fields, replace


def inner(message):
    """Return the part of a message that has cards and proofs: the lay of a TakeDiscards; otherwise,
    the message itself."""
    return getattr(message, "lay", message)


def lying(message, name, lie):
    """Return the message with another value for this field, which may be in its lay."""
    part = inner(message)
    changed = replace(part, **{name: lie})
    return changed if part is message else replace(message, lay=changed)


def unchecked(message, /, **lies):
    """Return the message with other values for these fields, which may be malformed."""
    changed = object.__new__(type(message))
    for each in fields(message):
        object.__setattr__(changed, each.name, lies.get(each.name, getattr(message, each.name)))
    return changed
