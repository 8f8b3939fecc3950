"""What is kept, in SQLite or PostgreSQL: logs, results, ratings, leases; and what is deleted again."""
