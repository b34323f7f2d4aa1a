"""What people print: the mat, corners, sheets and our own faces, as drawings in millimetres and as PDF files."""
