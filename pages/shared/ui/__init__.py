"""What every page is made of: its opening, its address, figures, forms, text."""
