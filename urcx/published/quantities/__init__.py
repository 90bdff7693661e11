"""The quantities behind the published figures, each computed from its parameters."""
