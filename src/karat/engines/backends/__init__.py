"""Where chunks are processed: in this process, in several processes, or in a Ray cluster."""
