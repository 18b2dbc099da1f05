"""What task pages show."""

from karat.campaign.work.task_data.passages import task_passages
from karat.campaign.work.task_data.records import TaskData, TaskPassage
from karat.campaign.work.task_data.task_data import task_data

__all__ = ["TaskData", "TaskPassage", "task_data", "task_passages"]
