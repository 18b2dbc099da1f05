"""What the errors of a judge do to scores."""
