"""The drawings, a module a room, and their one look."""
