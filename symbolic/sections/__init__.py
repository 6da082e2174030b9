"""The paper's statements about its losses, by section, as derivations."""
