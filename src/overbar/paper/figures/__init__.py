"""From tables to figures. The only matplotlib of the package, imported when a figure is drawn."""
