from dataclasses import dataclass
@dataclass
class Reach:
    meshes: list
    finger_mm: tuple
def reach_over(layout, rng): return None
