"""What is written from the table of operations of a profile: the page of its protocol, schemas, skeletons."""
