"""overbar: what is over the bar, without telling on anyone."""
