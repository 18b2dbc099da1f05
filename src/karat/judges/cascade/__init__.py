"""`cascade`: cheap judges decide where they are sure, and only the rest moves on to judges that cost something."""
