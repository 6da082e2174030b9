"""The book of claims: the text files of `claims`, one for each section of the paper, read as entries."""
