"""Text with marked spans: Karat's nuggetized snippets, and the files of annotation tools."""
