"""The review workbench: a page in which people read and judge, alone or together."""
