"""What samplers share: action counts, views of the parser, centres of clusters."""
