"""The 32 families of surfaces, one module a kind; a module whose name starts with an underscore is shared ground."""
