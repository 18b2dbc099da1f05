"""A job: finished chunks in a folder, so that work that was stopped goes on where it was."""

from karat.engines.job.folder import JobFolder, JobState, clean, read_job

__all__ = ["JobFolder", "JobState", "clean", "read_job"]
