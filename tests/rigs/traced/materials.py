"""How surfaces shine."""

from collections.abc import Mapping
from typing import Any

FINISHES: Mapping[str, tuple[float, float]] = {
    "paper": (0.45, 1.25),
    "satin": (0.22, 1.42),
    "glossy": (0.07, 1.49),
    "polished": (0.14, 1.49),
    "plastic": (0.12, 1.49),
    "wood": (0.35, 1.35),
    "skin": (0.38, 1.36),
    "cloth": (0.6, 1.15),
}
"""Finish -> roughness of its coat, and its index of refraction."""
METAL, GLASS = "metal", "glass"
"""Bare metal, and clear glass."""
_METAL = {"metallic": 1.0, "roughness": 0.35}


def finish(name: str, colour: Mapping[str, Any]) -> dict[str, Any]:
    """A surface of this finish with this texture for its colour, as Mitsuba describes it."""
    if name == METAL:
        return {"type": "twosided", "bsdf": {"type": "principled", "base_color": dict(colour), **_METAL}}
    roughness, index = FINISHES[name]
    return {
        "type": "twosided",
        "bsdf": {
            "type": "roughplastic",
            "alpha": roughness,
            "int_ior": index,
            "nonlinear": True,
            "diffuse_reflectance": dict(colour),
        },
    }


def painted(name: str) -> dict[str, Any]:
    """A surface of this finish that takes its colour from its mesh's vertices; glass has none."""
    colour = {"type": "mesh_attribute", "name": "vertex_color"}
    if name == GLASS:
        return {"type": "dielectric", "int_ior": 1.5}
    if name == METAL:
        return {"type": "principled", "base_color": colour, **_METAL}
    roughness, index = FINISHES[name]
    return {
        "type": "principled",
        "base_color": colour,
        "roughness": roughness**0.5,
        "specular": min(((index - 1) / (index + 1)) ** 2 / 0.08, 1.0),
    }
