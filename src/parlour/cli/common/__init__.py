"""What several commands share: options, files, what people type, help."""
