"""What people said: whose labels count, which texts they are about, and how they are reused."""
