"""What methods share by holding it: replay, penalties, adapters, masks, prototypes."""
