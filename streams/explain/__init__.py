"""Why two items are told as what they are: found in a file, judged as in the flow, in words."""
