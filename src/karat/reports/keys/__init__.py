"""Results about keys -> tables."""
