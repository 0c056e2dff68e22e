"""What there is to look at in each suite, in the module of its name: ``PARTS``, a record for each config."""
