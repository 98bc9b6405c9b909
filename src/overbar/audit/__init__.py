"""The audit: it looks at both sides of the house and tries to break what they claim."""
