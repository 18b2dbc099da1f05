"""What task pages show."""

from karat.campaign.work.task_data.passages import cited_as, decode_citation, in_order, task_answers, task_passages
from karat.campaign.work.task_data.records import TaskData, TaskPassage
from karat.campaign.work.task_data.task_data import task_data

__all__ = [
    "TaskData", "TaskPassage", "cited_as", "decode_citation", "in_order", "task_answers", "task_data", "task_passages",
]  # fmt: skip
