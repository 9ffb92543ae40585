"""What a detect partition keeps: its hours, the index into them, the register of items, and the store below."""
