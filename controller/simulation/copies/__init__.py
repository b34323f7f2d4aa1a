"""What our own copies look like on the simulated table: one module a game, found by the game's name, which offers
`art(px_per_mm)`: every front and back by its face, each drawn when it is first asked for. A copy that is
not learned piece by piece has `photos`, too: see `controller.simulation.copy.enrolment_photos`."""
