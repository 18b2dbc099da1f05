"""What people said: whose labels count, of which texts they are, and how they are reused."""
