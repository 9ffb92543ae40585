"""copydesk: for every item on a news bus, whether it copies, contains or reuses an earlier one."""

__version__ = "0.1.0"
