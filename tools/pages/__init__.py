"""Programs that write pages of docs/ from the registries."""
