"""The line-oriented front end."""
