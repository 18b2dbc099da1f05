"""Accounts, invitations, sessions."""
