"""Where reports go: to the screen, and an answer to whole files."""
