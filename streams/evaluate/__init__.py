"""How well the methods do on a corpus with the truth for every pair: read, run, score, show."""
