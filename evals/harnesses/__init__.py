"""Other people's harnesses: what they need to run our datasets, with our words and our scores."""
