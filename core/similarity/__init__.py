"""How alike logical forms are, and clusters of them."""
