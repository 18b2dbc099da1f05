"""What people do: changes with versions and history, the rules they obey, steps and assignments."""
