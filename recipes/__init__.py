"""What the versioned datasets are versions of: one TOML a dataset, and the models that read it."""
