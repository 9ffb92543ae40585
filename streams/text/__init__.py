"""What is done to text: markup, repair, sentences, words and their frequencies."""
