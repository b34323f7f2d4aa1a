"""Where the mat lies in a picture, the lens it was taken through, and the table looked at straight from above."""
