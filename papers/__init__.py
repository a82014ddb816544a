"""Papers and their experiments: published numbers beside ours, by ``python -m papers KEY``.

A module here whose name has no leading underscore is a paper. It holds ``PAPER``, a
:class:`papers._frame.Paper` whose key is the module's name (with ``-`` for ``_``), and
``run(table, *, seeds, data, progress)``, which returns :class:`papers._frame.Measured`. It imports
what is heavy inside ``run``, so that listing papers stays cheap. ``published/KEY.toml`` has the
numbers that the paper prints, ``found/KEY.json`` those that were measured here.
"""
