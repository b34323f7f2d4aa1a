"""The lens from photos whose lens is known, and photos that do not serve."""

import json
import re
from collections.abc import Sequence
from dataclasses import astuple, replace
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest

from hardware.kit.drawing import Placed
from hardware.kit.paper import Paper, make_pages
from hardware.kit.raster import draw_page, draw_shapes
from hardware.kit.table_sheets import MAT_MM, calibration_sheet, mat_drawing
from tests.long import cases
from tests.vision.lens_photos import PhotoMaker, Stand, held_points, stands
from vision.frame import Image
from vision.mat.calibration import LEAST_VIEWS, calibrate, covered_share
from vision.mat.calibration_picture import draw_misses
from vision.mat.calibration_sheet import CalibrationSheet, See, View, see_mat, see_sheet
from vision.mat.errors import (
    AllFromOneAngle,
    Blurred,
    LensFileError,
    NoCommonLens,
    SheetNotSeen,
    SizesDiffer,
    TooFewViews,
    WrongSheet,
)
from vision.mat.lens import Lens
from vision.mat.lens_file import lens_text, load_lens
from vision.mat.markers import MARKERS_MM
from vision.mat.registration import find_mat

PX_PER_MM = 4.0
SIZE = (960, 540)
USUAL = Lens(0.86, -0.08, 0.03)
FOCAL_SHARE, K1, K2 = 0.01, 0.012, 0.03
"""How far the lens that is found may be from the true one."""


@cache
def sheet() -> Image:
    (page,) = make_pages(Paper.A4, calibration_sheet(Paper.A4))
    return draw_page(page, PX_PER_MM)


@cache
def mat() -> Image:
    return draw_shapes((Placed((mat_drawing(),), (MAT_MM / 2, MAT_MM / 2)),), MAT_MM, MAT_MM, PX_PER_MM)


def photos(picture: Image, maker: PhotoMaker, held: Sequence[Stand]) -> list[Image]:
    rng, rays = np.random.default_rng(7), maker.rays()
    return [maker.photo(picture, PX_PER_MM, stand, rays, rng) for stand in held]


def views(see: See, images: Sequence[Image]) -> list[View]:
    return [see(image, f"photo {number}") for number, image in enumerate(images, start=1)]


def held(count: int = 8, *, distance_mm: float = 400.0, lean_deg: float = 28.0) -> list[Stand]:
    return stands(np.random.default_rng(3), count, distance_mm, lean_deg=lean_deg)


@cache
def made_views(maker: PhotoMaker) -> tuple[View, ...]:
    return tuple(views(see_sheet, photos(sheet(), maker, held())))


def usual_views() -> tuple[View, ...]:
    return made_views(PhotoMaker(SIZE, USUAL))


def assert_near(found: Lens, true: Lens) -> None:
    assert found.focal_widths == pytest.approx(true.focal_widths, rel=FOCAL_SHARE)
    assert found.k1 == pytest.approx(true.k1, abs=K1)
    assert found.k2 == pytest.approx(true.k2, abs=K2)


# The lens -------------------------------------------------------------------------------------------------------------


@cases(
    "maker",
    [
        PhotoMaker(SIZE, USUAL),
        PhotoMaker(SIZE, Lens(1.1, 0.05, -0.02), blur_px=1.2, noise=8.0),
        PhotoMaker((800, 600), Lens(0.7, -0.28, 0.09)),
    ],
    ids=["usual", "long, noisy and soft", "wide, bent, 4:3"],
    always=1,
)
def test_the_sheet_shows_the_lens(maker: PhotoMaker) -> None:
    distance = 400.0 * maker.lens.focal_widths / 0.86
    found = calibrate(views(see_sheet, photos(sheet(), maker, held(distance_mm=distance))))
    assert_near(found.lens, maker.lens)
    assert found.size_px == maker.size_px
    assert found.error_px < 0.3
    assert found.covered > 0.4
    assert found.focal_spread < 0.01
    assert len(found.views) == 8
    assert found.left_out == ()


def test_the_mat_shows_the_lens() -> None:
    maker = PhotoMaker((1280, 720), USUAL)
    seen = []
    for number, image in enumerate(photos(mat(), maker, held(distance_mm=1100.0)), start=1):
        try:
            seen.append(see_mat(image, f"photo {number}"))
        except SheetNotSeen:
            continue
    found = calibrate(seen)
    assert found.lens.focal_widths == pytest.approx(USUAL.focal_widths, rel=2 * FOCAL_SHARE)
    # What matters: where the corners of the picture are seen.
    assert bent(found.lens, 0.55) == pytest.approx(bent(USUAL, 0.55), abs=0.006)


def bent(lens: Lens, radius: float) -> float:
    return radius * (1 + lens.k1 * radius**2 + lens.k2 * radius**4)


def test_markers_that_seem_smaller_do_not_bend_the_lens() -> None:
    """Bright paper bleeds over their edges: all corners of a marker lie two in a hundred inside."""
    maker, rng = PhotoMaker((1280, 720), USUAL, noise=0.0), np.random.default_rng(2)
    seen = []
    for stand in held(10, distance_mm=1000.0):
        view = mat_view(maker, stand)
        centres = view.points_px.reshape(-1, 4, 2).mean(1).repeat(4, axis=0)
        inside = centres + (view.points_px - centres) * 0.98
        seen.append(replace(view, points_px=inside + rng.normal(0, 0.05, inside.shape)))
    found = calibrate(seen)
    assert_near(found.lens, USUAL)
    assert found.error_px < 0.12


def mat_view(maker: PhotoMaker, stand: Stand) -> View:
    """The mat's corners where the lens has them, without a photo."""
    points = np.concatenate([MARKERS_MM[number] for number in sorted(MARKERS_MM)])
    return View("exact", points, held_points(maker, stand, points), maker.size_px, len(MARKERS_MM))


@pytest.mark.long
def test_a_calibrated_lens_lays_pictures_over_the_table_better() -> None:
    """A mat in the picture's corner, its middle to be found: the lens that was found is as good as the true one."""
    maker = PhotoMaker((1280, 720), USUAL)
    (image,) = photos(mat(), maker, [Stand(0.0, 0.0, 0.0, (0.12, 0.05), 900.0)])
    found = calibrate(usual_views()).lens
    grid = np.array([[x, y] for x in (-450.0, -150.0, 150.0) for y in (-200.0, 0.0, 200.0)])
    px = held_points(maker, Stand(0.0, 0.0, 0.0, (0.12, 0.05), 900.0), grid)
    errors = {
        name: np.linalg.norm(find_mat(image, lens=lens).to_table(px) - grid, axis=1).max()
        for name, lens in (("found", found), ("none", Lens(0.86)), ("true", USUAL))
    }
    assert errors["found"] < 0.6
    assert errors["found"] < 0.3 * errors["none"]


# What does not serve --------------------------------------------------------------------------------------------------


def test_too_few_views_are_refused() -> None:
    with pytest.raises(TooFewViews, match=f"4 photos serve; at least {LEAST_VIEWS} are needed"):
        calibrate(usual_views()[:4])


def test_one_angle_is_refused() -> None:
    flat = photos(sheet(), PhotoMaker(SIZE, USUAL), held(6, lean_deg=0.0))
    with pytest.raises(AllFromOneAngle, match="prop up one side of it"):
        calibrate(views(see_sheet, flat))


@pytest.mark.long
def test_one_angle_is_refused_where_the_lens_bends_a_lot() -> None:
    flat = photos(sheet(), PhotoMaker((800, 600), Lens(0.7, -0.28, 0.09)), held(6, lean_deg=0.0, distance_mm=330.0))
    with pytest.raises(AllFromOneAngle):
        calibrate(views(see_sheet, flat))


def test_blurred_photos_are_refused() -> None:
    (image,) = photos(sheet(), PhotoMaker(SIZE, USUAL, blur_px=2.6), held(1))
    with pytest.raises(Blurred, match=r"photo 1: edges are blurred by 2\.\d px; at most 1\.5 px"):
        views(see_sheet, [image])


def test_a_shaken_photo_is_refused() -> None:
    (image,) = photos(sheet(), PhotoMaker(SIZE, USUAL, blur_px=0.6), held(1))
    shaken = cv2.blur(image, (9, 1))
    with pytest.raises((Blurred, SheetNotSeen)):
        views(see_sheet, [np.asarray(shaken, np.uint8)])


def test_another_sheet_is_refused() -> None:
    other = np.asarray(cv2.aruco.generateImageMarker(cv2.aruco.getPredefinedDictionary(0), 3, 120))
    image = cv2.copyMakeBorder(other, 200, 200, 300, 300, cv2.BORDER_CONSTANT, value=(255,))
    with pytest.raises(
        WrongSheet, match=r"photo 1: shows markers \[3\]; expected the calibration sheet's, 20 to 36, or --mat"
    ):
        views(see_sheet, [np.asarray(cv2.cvtColor(image, cv2.COLOR_GRAY2BGR), np.uint8)])


def test_a_sheet_with_the_same_markers_in_other_places_is_refused() -> None:
    (image,) = photos(sheet(), PhotoMaker(SIZE, USUAL), held(1))
    wide = CalibrationSheet(columns=9, rows=4, square_mm=34.0, marker_mm=25.5, first_id=20)
    with pytest.raises(WrongSheet, match="miss their places by"):
        see_sheet(image, "photo 1", wide)


def test_a_photo_without_a_sheet_is_refused() -> None:
    with pytest.raises(SheetNotSeen, match="no marker of the calibration sheet"):
        see_sheet(np.full((540, 960, 3), 90, np.uint8), "wall.jpg")
    with pytest.raises(SheetNotSeen, match=r"wall.jpg: no marker of the mat is seen; 3 of its four are needed"):
        see_mat(np.full((540, 960, 3), 90, np.uint8), "wall.jpg")
    (image,) = photos(mat(), PhotoMaker((1280, 720), USUAL), held(1, distance_mm=1100.0))
    with pytest.raises(SheetNotSeen, match=r"mirror.jpg: the picture is mirrored: expected one as the eye sees"):
        see_mat(np.ascontiguousarray(image[:, ::-1]), "mirror.jpg")
    (image,) = photos(sheet(), PhotoMaker(SIZE, USUAL), held(1))
    with pytest.raises(SheetNotSeen, match=r"mirror.jpg: the picture is mirrored: expected one as the eye sees"):
        see_sheet(np.ascontiguousarray(image[:, ::-1]), "mirror.jpg")
    with pytest.raises(WrongSheet, match=r"sheet.jpg: shows the calibration sheet; expected the mat, or no --mat"):
        see_mat(image, "sheet.jpg")


def test_a_photo_of_another_size_is_left_out_and_named() -> None:
    seen = [replace(usual_views()[0], size_px=(1280, 720)), *usual_views()[1:]]
    found = calibrate(seen)
    assert found.left_out == (("photo 1", "it is 1280x720 pixels where most are 960x540"),)
    assert_near(found.lens, USUAL)


def test_photos_of_two_sizes_are_refused_and_named() -> None:
    seen = [replace(view, size_px=(1280, 720)) for view in usual_views()[:4]]
    said = (
        "the photos are of 1280x720 (photo 1, photo 2, photo 3, photo 4), 960x540 (photo 5, photo 6, photo 7, photo 8)"
    )
    with pytest.raises(SizesDiffer, match=re.escape(said)):
        calibrate([*seen, *usual_views()[4:8]])


@cases("zoom", [0.95, 1.03, 1.05, 1.25], always=1)
def test_photos_of_two_lenses_are_refused_and_both_named(zoom: float) -> None:
    """They would fit one lens between both well enough: each sheet seems to lie nearer or farther, and to lean less."""
    other = PhotoMaker(SIZE, replace(USUAL, focal_widths=USUAL.focal_widths * zoom))
    zoomed = [replace(view, name=f"zoomed {n}") for n, view in enumerate(made_views(other)[:4], start=1)]
    with pytest.raises(NoCommonLens) as caught:
        calibrate([*zoomed, *usual_views()[4:]])
    said = str(caught.value)
    assert "two focal lengths: " in said
    for group in said.partition(": ")[2].partition("; expected")[0].split("; "):
        assert ("zoomed" in group) != ("photo" in group), said
        near = 0.86 * 960 * (zoom if "zoomed" in group else 1.0)
        assert float(group.split(" of ")[1].split(" px")[0]) == pytest.approx(near, rel=0.03)


@pytest.mark.long
def test_one_photo_of_another_lens_is_left_out_and_named() -> None:
    other = PhotoMaker(SIZE, replace(USUAL, focal_widths=USUAL.focal_widths * 1.08))
    zoomed = replace(made_views(other)[1], name="zoomed")
    found = calibrate([*usual_views()[:1], zoomed, *usual_views()[2:]])
    ((name, why),) = found.left_out
    assert name == "zoomed"
    assert re.fullmatch(r"its focal length is \+[6789]% beside the others'", why)
    assert_near(found.lens, USUAL)


@pytest.mark.long
def test_where_the_focal_length_wandered_it_is_the_less_sure() -> None:
    """As focus moves it, too little for a photo to be another camera's."""
    other = replace(USUAL, focal_widths=USUAL.focal_widths * 1.015)
    found = calibrate([*usual_views()[:4], *made_views(PhotoMaker(SIZE, other))[4:]])
    assert found.left_out == ()
    for true in (USUAL, other):
        assert abs(found.lens.focal_widths / true.focal_widths - 1.0) < 2.0 * found.focal_spread < 0.02


@cases("beside", [(0.0, 0.0), (0.03, -0.01), (-0.02, 0.025)], always=1)
def test_an_axis_beside_the_middle_is_found(beside: tuple[float, float]) -> None:
    """Taken to go through the middle, it made the focal length wrong by several times what was said of it."""
    true = replace(USUAL, right=beside[0], down=beside[1])
    found = calibrate(made_views(PhotoMaker(SIZE, true)))
    assert found.centre_shown
    assert (found.lens.right, found.lens.down) == pytest.approx(beside, abs=0.004)
    assert abs(found.lens.focal_widths / true.focal_widths - 1.0) < 3.0 * found.focal_spread < 0.015


@pytest.mark.long
def test_where_nothing_tells_the_axis_the_focal_length_is_the_less_sure() -> None:
    near = [replace(s, at=(s.at[0] / 2, s.at[1] / 2)) for s in held(6, lean_deg=20.0, distance_mm=1100.0)]
    spreads = []
    for right in (0.0, 0.006):
        maker = PhotoMaker(SIZE, replace(USUAL, right=right), noise=6.0)
        found = calibrate(views(see_mat, photos(mat(), maker, near)))
        assert not found.centre_shown
        assert (found.lens.right, found.lens.down) == (0.0, 0.0)
        assert abs(found.lens.focal_widths / 0.86 - 1.0) < 2.0 * found.focal_spread
        spreads.append(found.focal_spread)
    assert min(spreads) > 0.01


def test_one_bad_view_is_left_out_and_named() -> None:
    bad = usual_views()[2]
    bowed = bad.points_px + np.column_stack([np.zeros(len(bad.points_px)), 4.0 * np.sin(bad.points_mm[:, 0] / 30)])
    seen = [replace(view, points_px=bowed) if view is bad else view for view in usual_views()]
    found = calibrate(seen)
    assert [name for name, _ in found.left_out] == ["photo 3"]
    assert_near(found.lens, USUAL)


def test_a_printer_that_stretches_is_noticed() -> None:
    """Squares that are not square, three in a hundred, fit no lens."""
    seen = [replace(view, points_mm=view.points_mm * (1.03, 1.0)) for view in usual_views()]
    with pytest.raises((NoCommonLens, AllFromOneAngle)):
        calibrate(seen)


# What is told and kept ------------------------------------------------------------------------------------------------


def test_coverage_is_the_share_of_the_picture_that_was_seen() -> None:
    corner = np.array([[0.0, 0.0], [480.0, 0.0], [480.0, 270.0], [0.0, 270.0]])
    view = View("quarter", corner, corner, SIZE)
    assert covered_share([view]) == pytest.approx(0.25, abs=0.01)
    assert covered_share([view, view]) == pytest.approx(0.25, abs=0.01)
    other = View("next", corner, corner + np.array([480.0, 0.0]), SIZE)
    assert covered_share([view, other]) == pytest.approx(0.5, abs=0.015)


@pytest.mark.long
def test_where_the_pictures_corners_were_not_seen_k2_is_left_alone() -> None:
    """Two terms fitted to the picture's middle run away towards its corners; one does not."""
    near = [Stand(s.turn_deg, s.right_deg, s.away_deg, (0.3 * s.at[0], 0.3 * s.at[1]), 600.0) for s in held()]
    found = calibrate(views(see_sheet, photos(sheet(), PhotoMaker(SIZE, USUAL), near)))
    assert not found.k2_shown
    assert found.lens.k2 == 0.0
    assert bent(found.lens, 0.65) == pytest.approx(bent(USUAL, 0.65), abs=0.01)
    assert calibrate(usual_views()).k2_shown


def test_the_picture_of_misses_shows_every_corner() -> None:
    found = calibrate(usual_views())
    picture = draw_misses(found)
    assert picture.shape[1] == 1200
    dots = np.asarray((picture < 130).all(2))[:-45]
    assert dots.sum() > 4 * len(found.points_px)


def test_a_lens_is_kept_and_found_again(tmp_path: Path) -> None:
    found, path = calibrate(usual_views()), tmp_path / "lens.json"
    path.write_text(lens_text(found, "camera 1"))
    again = load_lens(path, (1920, 1080))
    assert again.focal_widths == pytest.approx(found.lens.focal_widths, abs=1e-6)
    assert astuple(again) == pytest.approx(astuple(found.lens), abs=1e-6)
    assert json.loads(path.read_text())["camera"] == "camera 1"
    with pytest.raises(LensFileError, match="made from pictures of 960x540 and does not hold for 640x480"):
        load_lens(path, (640, 480))


ZERO = '"k1": 0, "k2": 0'


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", " is no JSON; expected a file that"),
        (b"nonsense", " is no JSON; expected a file that"),
        (b"\xff\xfe\xfd", " is no JSON; expected a file that"),
        (b"[" * 100000, " is no JSON; expected a file that"),
        (b"[]", ": lens.focal_widths is missing; expected a number, as"),
        (b"{}", ": lens.focal_widths is missing; expected a number, as"),
        (b'{"lens": 3}', ": lens.focal_widths is missing; expected a number, as"),
        (f'{{"lens": {{"focal_widths": "x", {ZERO}}}}}'.encode(), ': lens.focal_widths is "x"; expected a number, as'),
        (f'{{"lens": {{"focal_widths": NaN, {ZERO}}}}}'.encode(), ": lens.focal_widths is NaN; expected a number, as"),
        (b'{"lens": {"focal_widths": 1, "k1": 0, "k2": 1e999}}', ": lens.k2 is Infinity; expected a number, as"),
        (f'{{"lens": {{"focal_widths": 1, {ZERO}}}, "size_px": [1]}}'.encode(), ": size_px[1] is missing; expected"),
        (f'{{"lens": {{"focal_widths": 1, {ZERO}}}, "size_px": [true, 1]}}'.encode(), ": size_px[0] is true; expected"),
    ],
)
def test_a_file_that_holds_no_lens_is_named(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "lens.json"
    path.write_bytes(content)
    with pytest.raises(LensFileError) as caught:
        load_lens(path)
    assert str(caught.value).startswith(f"{path}{said}")
    assert "`pizzatable calibrate`" in str(caught.value)


def test_a_lens_that_cannot_be_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "lens.json"
    path.write_text('{"lens": {"focal_widths": 0.0, "k1": 0, "k2": 0}, "size_px": [1280, 720]}')
    with pytest.raises(LensFileError, match="is no camera's lens"):
        load_lens(path)
