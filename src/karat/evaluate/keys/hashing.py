"""The hash of a key: the same digits in every signature of scores that were made with it."""

from __future__ import annotations

from karat.formats import load
from karat.formats.inputs.reading import Input, OnError
from karat.model import Collection, UnfitInput, identity


def key_hash(*inputs: Input, on_error: OnError = "stop") -> str:
    """The hash of the key in the inputs, nugs and votes together: sixteen hex digits (`karat.model.identity.KeyHash`).

    >>> import karat
    >>> key, judgements, _ = karat.demo_files()
    >>> f"key:{karat.key_hash(key)}" in karat.score(key, judgements, on_error="skip").scores[0].signature
    True
    """
    return hash_of(load(*inputs, on_error=on_error))


def hash_of(collection: Collection) -> str:
    """The hash of the key of a collection; a collection without nugs has no key."""
    hashed = identity.key_setting(collection.nugs, collection.votes)
    if not hashed:
        raise UnfitInput("there is no key: give a file with nugs (see `karat show FILE`)")
    return hashed[identity.KEY_SETTING]
