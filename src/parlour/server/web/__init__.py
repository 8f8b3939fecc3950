"""The server for programs: connections, guards, limits, and the interface over HTTP and WebSocket."""
