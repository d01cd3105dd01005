"""The MCP server: assistants ask named queries of the published database, and get marked data."""
