"""A layout as Mitsuba renders it: the picture by path tracing, and which body each pixel shows."""

import math
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from tests.rigs.traced import tables
from tests.rigs.traced.bodies import Body, Floats, Image, Ints, Mesh
from tests.rigs.traced.camera import Camera, Straight, straight
from tests.rigs.traced.lights import Lamp, Light, somebody
from tests.rigs.traced.materials import GLASS, finish, painted
from tests.rigs.traced.meshes import normals, plate
from tests.rigs.traced.resting import BARE_TABLE_MM, MAT_MM, Rest
from tests.rigs.traced.sensor import Radiance

NOTHING, HAND = -1, -2
_DEPTH, _DEPTH_IN_GLASS = 5, 14
"""So many times light is followed; through a glass and back it meets eight surfaces."""
_SPARK = 1.8
"""A pixel so much brighter than those around it is a path by which a lamp was met through glass by chance."""
_PROBE = """
import mitsuba as mi
mi.set_variant("llvm_ad_rgb")
shiny = {"type": "sphere", "bsdf": {"type": "roughplastic"}}
scene = mi.load_dict({"type": "scene", "integrator": {"type": "path"}, "light": {"type": "constant"}, "shiny": shiny,
    "sensor": {"type": "perspective", "film": {"type": "hdrfilm", "width": 8, "height": 8}}})
mi.render(scene, spp=1).numpy()
"""


@dataclass(frozen=True, slots=True)
class Stage:
    """All that a picture is rendered from."""

    bodies: Sequence[Body]
    rests: Sequence[Rest]
    camera: Camera
    light: Light
    surface: Image
    glossy_table: bool
    mat: bool
    hands: Sequence[Mesh]
    """In table mm."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """A picture as the lens casts it on the sensor."""

    light: Radiance
    shown: npt.NDArray[np.int64]
    """Height x width: the index of the body that a pixel shows, NOTHING or HAND."""


class Tracer:
    """Mitsuba, loaded in the fastest way that works on this machine."""

    def __init__(self, samples: int) -> None:
        import mitsuba

        self.samples = samples
        self.variant = _variant()
        mitsuba.set_variant(self.variant)
        mitsuba.set_log_level(mitsuba.LogLevel.Error)
        self._mi: Any = mitsuba

    def render(self, stage: Stage, seed: int) -> Rendered:
        """The picture of a stage."""
        lens = straight(stage.camera)
        scene, ids = self._scene(stage, lens)
        mi = self._mi
        light = np.asarray(mi.render(scene, spp=self.samples, seed=seed), dtype=np.float32)[..., :3]
        if any(body.finish == GLASS for body in stage.bodies):
            light = _without_sparks(light)
        which = mi.load_dict({"type": "aov", "aovs": "index:shape_index"})
        index = np.asarray(mi.render(scene, spp=1, seed=seed, integrator=which))[..., -1]
        shown = np.full(index.shape, NOTHING, dtype=np.int64)
        for number, shape in zip(self._numbers(scene.shapes()), scene.shapes(), strict=True):
            shown[np.round(index) == number] = ids.get(shape.id(), NOTHING)
        return Rendered(
            np.asarray(cv2.remap(light, lens.map_x, lens.map_y, cv2.INTER_LINEAR), dtype=np.float32),
            shown[np.round(lens.map_y).astype(np.int64), np.round(lens.map_x).astype(np.int64)],
        )

    def _scene(self, stage: Stage, lens: Straight) -> tuple[Any, dict[str, int]]:
        mi = self._mi
        clear = any(body.finish == GLASS for body in stage.bodies)
        depth = _DEPTH_IN_GLASS if clear else _DEPTH
        parts: dict[str, Any] = {"type": "scene", "integrator": {"type": "path", "max_depth": depth}}
        parts["sensor"] = self._sensor(stage.camera, lens)
        parts.update(self._lights(stage.light))
        parts.update(self._under(stage))
        ids: dict[str, int] = {}
        atlas = _Atlas(stage.bodies)
        papers = {
            name: mi.load_dict(finish(name, self._texture(atlas.image)))
            for name in {b.finish for b in stage.bodies if b.mesh is None}
        }
        coats = {
            name: mi.load_dict(painted(name)) for name in {"skin", "cloth", *(b.finish for b in stage.bodies if b.mesh)}
        }
        for index, (body, rest) in enumerate(zip(stage.bodies, stage.rests, strict=True)):
            name = f"body{index:03d}"
            ids[name] = index
            if body.mesh is not None:
                shape = Mesh(rest.points(body.mesh.vertices), body.mesh.faces, body.mesh.colours)
                parts[name] = self._painted(name, shape, coats[body.finish])
            else:
                vertices, faces, upper = plate(body.outline, body.thickness)
                places = atlas.places(index, vertices[:, :2], upper)
                parts[name] = self._plate(name, rest.points(vertices), faces, places, papers[body.finish])
        for number, (hand, cover) in enumerate(zip(stage.hands, ("skin", "cloth") * 3, strict=False)):
            ids[f"hand{number}"] = HAND
            parts[f"hand{number}"] = self._painted(f"hand{number}", hand, coats[cover])
        return mi.load_dict(parts, optimize=False), ids

    def _numbers(self, shapes: Sequence[Any]) -> list[int]:
        """What an index picture calls each shape."""
        if self.variant == "scalar_rgb":
            return list(range(1, len(shapes) + 1))
        import drjit

        mi = self._mi
        return [int(drjit.reinterpret_array(mi.UInt32, mi.ShapePtr(shape))[0]) for shape in shapes]

    def _sensor(self, camera: Camera, lens: Straight) -> dict[str, Any]:
        mi = self._mi
        to_table = np.eye(4)
        to_table[:3, :3] = camera.R.T @ np.diag([-1.0, -1.0, 1.0])
        to_table[:3, 3] = camera.place
        return {
            "type": "perspective",
            "fov_axis": "x",
            "fov": math.degrees(2 * math.atan(lens.width / 2 / lens.focal_px)),
            "near_clip": 50.0,
            "far_clip": 10000.0,
            "to_world": mi.ScalarTransform4f(to_table),
            "film": {
                "type": "hdrfilm",
                "width": lens.width,
                "height": lens.height,
                "pixel_format": "rgb",
                "rfilter": {"type": "box"},
            },
            "sampler": {"type": "independent"},
        }

    def _lights(self, light: Light) -> dict[str, Any]:
        mi, parts = self._mi, {}
        T = mi.ScalarTransform4f
        room = mi.Bitmap(np.ascontiguousarray(light.room, dtype=np.float32))
        parts["room"] = {"type": "envmap", "bitmap": room, "to_world": T().rotate([1, 0, 0], 90)}
        for number, lamp in enumerate(light.lamps):
            emitter = {"type": "area", "radiance": {"type": "rgb", "value": list(_radiance(lamp))}}
            if lamp.panel:
                facing = T().look_at(origin=list(lamp.place), target=[0, 0, 0], up=[0, 0.1, 1])
                shape = {"type": "rectangle", "to_world": facing @ T().scale(lamp.radius)}
            else:
                shape = {"type": "sphere", "center": list(lamp.place), "radius": lamp.radius}
            parts[f"lamp{number}"] = {**shape, "emitter": emitter}
        if light.person is not None:
            coat = mi.load_dict(painted("cloth"))
            parts["person"] = self._painted("person", somebody(*light.person), coat)
        return parts

    def _under(self, stage: Stage) -> dict[str, Any]:
        T = self._mi.ScalarTransform4f
        width, height = tables.TABLE_MM
        top = T().translate([0, 0, BARE_TABLE_MM]) @ T().scale([width / 2, height / 2, 1])
        floor = {"type": "diffuse", "reflectance": {"type": "rgb", "value": [0.25, 0.22, 0.2]}}
        parts = {
            "table": {
                "type": "rectangle",
                "to_world": top,
                "bsdf": finish("polished" if stage.glossy_table else "paper", self._texture(stage.surface)),
            },
            "floor": {
                "type": "rectangle",
                "to_world": T().translate([0, 0, -740]) @ T().scale([4000, 4000, 1]),
                "bsdf": floor,
            },
        }
        if stage.mat:
            print_ = finish("paper", self._texture(tables.mat_print()))
            parts["mat"] = {"type": "rectangle", "to_world": T().scale([MAT_MM / 2, MAT_MM / 2, 1]), "bsdf": print_}
            edge = {"type": "diffuse", "reflectance": {"type": "rgb", "value": [0.6, 0.6, 0.58]}}
            box = T().translate([0, 0, BARE_TABLE_MM / 2 - 0.02]) @ T().scale(
                [MAT_MM / 2, MAT_MM / 2, -BARE_TABLE_MM / 2]
            )
            parts["mat edge"] = {"type": "cube", "to_world": box, "bsdf": edge}
        return parts

    def _texture(self, image: Image) -> dict[str, Any]:
        return {"type": "bitmap", "bitmap": self._mi.Bitmap(np.ascontiguousarray(image[::-1])), "wrap_mode": "clamp"}

    def _plate(self, name: str, vertices: Floats, faces: Ints, places: Floats, bsdf: Any) -> Any:
        mesh = self._mesh(name, vertices, faces, bsdf, texcoords=True)
        values = self._mi.traverse(mesh)
        values["vertex_texcoords"] = places.astype(np.float32).ravel()
        values.update()
        return mesh

    def _painted(self, name: str, shape: Mesh, bsdf: Any) -> Any:
        mesh = self._mesh(name, shape.vertices, shape.faces, bsdf, normals_too=True)
        mesh.add_attribute("vertex_color", 3, shape.colours.astype(np.float32).ravel())
        values = self._mi.traverse(mesh)
        values["vertex_normals"] = normals(shape.vertices, shape.faces).astype(np.float32).ravel()
        values.update()
        return mesh

    def _mesh(
        self, name: str, vertices: Floats, faces: Ints, bsdf: Any, texcoords: bool = False, normals_too: bool = False
    ) -> Any:
        mi = self._mi
        properties = mi.Properties()
        properties["bsdf"] = bsdf
        mesh = mi.Mesh(
            name,
            len(vertices),
            len(faces),
            has_vertex_normals=normals_too,
            has_vertex_texcoords=texcoords,
            props=properties,
        )
        mesh.set_id(name)
        values = mi.traverse(mesh)
        values["vertex_positions"] = vertices.astype(np.float32).ravel()
        values["faces"] = faces.astype(np.uint32).ravel()
        values.update()
        return mesh


class _Atlas:
    """The prints of all plates in one picture, and a patch for each one's cut edge."""

    def __init__(self, bodies: Sequence[Body]) -> None:
        prints: list[Image] = []
        known: dict[int, int] = {}
        self._print: dict[int, int] = {}
        for index, body in enumerate(bodies):
            if body.top is None:
                continue
            image = body.top.image
            if id(image) not in known:
                known[id(image)] = len(prints)
                prints.append(image)
            self._print[index] = known[id(image)]
        self._bodies = bodies
        side = max([4 + max(p.shape[1] for p in prints), 3000]) if prints else 64
        x = y = row = 0
        self._at: list[tuple[int, int]] = []
        for image in prints:
            if x + image.shape[1] + 4 > side:
                x, y, row = 0, y + row, 0
            self._at.append((x + 2, y + 2))
            x, row = x + image.shape[1] + 4, max(row, image.shape[0] + 4)
        self._edges = y + row
        self.image = np.zeros((self._edges + 16, max(side, 16 * len(bodies) + 16), 3), np.uint8)
        for image, (left, upper) in zip(prints, self._at, strict=True):
            self.image[upper : upper + image.shape[0], left : left + image.shape[1]] = image
        for index, body in enumerate(bodies):
            self.image[self._edges :, 16 * index : 16 * index + 16] = np.round(np.array(body.edge) * 255)

    def places(self, index: int, points: Floats, upper: int) -> Floats:
        """Where vertices (u, v) of a body lie in the atlas; the first `upper` are its upper face's."""
        height, width = self.image.shape[:2]
        found = np.full((len(points), 2), (16 * index + 8, self._edges + 8), dtype=np.float64)
        top = self._bodies[index].top
        if top is not None:
            left, above = self._at[self._print[index]]
            rows, columns = top.image.shape[:2]
            found[:upper, 0] = left + (points[:upper, 0] - top.left) / (top.right - top.left) * columns
            found[:upper, 1] = above + (top.upper - points[:upper, 1]) / (top.upper - top.lower) * rows
        return np.column_stack([found[:, 0] / width, 1 - found[:, 1] / height])


def _without_sparks(light: Radiance) -> Radiance:
    usual = cv2.medianBlur(light, 5)
    return np.asarray(np.where(light > _SPARK * usual + 1e-3, usual, light), dtype=np.float32)


def _radiance(lamp: Lamp) -> Floats:
    """What it must shine with to give its irradiance at the table's middle."""
    place = np.array(lamp.place)
    far = float(np.linalg.norm(place))
    area = 4 * lamp.radius**2 if lamp.panel else math.pi * lamp.radius**2
    return np.asarray(np.array(lamp.irradiance) * far**2 / (area * place[2] / far), dtype=np.float64)


def _variant() -> str:
    """The vectorised variant where it works (some versions of LLVM end the process, so another one tries), else the
    plain one."""
    tried = subprocess.run([sys.executable, "-c", _PROBE], capture_output=True, check=False, env=os.environ)
    return "llvm_ad_rgb" if tried.returncode == 0 else "scalar_rgb"
