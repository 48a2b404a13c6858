"""What pages read: runs, tasks, kept parsers, downloads."""
