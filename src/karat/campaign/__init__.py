"""Human annotation: the campaign's store, its people, their work, adjudication, and export to the same records."""
