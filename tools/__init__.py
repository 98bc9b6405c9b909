"""What the Makefile needs beside packages."""
