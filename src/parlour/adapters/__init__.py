"""Parlour's games in the libraries that researchers use (extra ``adapters``).

``openspiel.register()``, ``pettingzoo.aec(…)`` and ``.parallel(…)``, ``gymnasium.single(…)`` and ``.vector(…)``, and
``gambit.efg(…)``, which needs no library. In all of them a player sees the tensor of their view and a mask of their
legal actions, and nothing else. Where several choose at once, they are asked one after another and learn nothing of
each other's answers; only PettingZoo's parallel environment asks them all together.
"""
