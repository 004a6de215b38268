"""The first few of long rows."""
