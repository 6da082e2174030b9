"""The result of a gate as text, JSON, JUnit XML, Markdown, HTML and a badge."""
