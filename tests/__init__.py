"""The tests, laid out like ``src/parlour``: ``server/store/test_store.py`` is about ``server/store/store.py``."""
