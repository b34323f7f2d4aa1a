"""The light of the room: too little of it, too much of it, mirrored lamps, shadows."""
