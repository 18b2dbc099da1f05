"""Tables, connections, migrations, backups."""
