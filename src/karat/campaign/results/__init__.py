"""What comes out: records, progress, agreement, participants' sheets."""
