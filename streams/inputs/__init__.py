"""Where raw records come from besides Kafka: files and standard input."""
