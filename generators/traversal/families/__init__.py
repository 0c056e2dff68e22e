"""One module, one construction; each exports ``FAMILY``."""
