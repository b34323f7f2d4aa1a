"""Flat pieces with faces, slices and cards: guessed by keypoints, checked by colours, in whatever light they lie."""
