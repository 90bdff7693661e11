"""What published figures are figures of, each computed from its parameters."""
