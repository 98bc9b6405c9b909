"""How accurate a run is: the law of a comparison, success probabilities, and their bounds."""
