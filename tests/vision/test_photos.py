"""The rendered pictures beside the repository, read with faces learned from the enrol pictures of their style."""

import json
from typing import Any

import cv2
import numpy as np
import pytest

from tests.long import cases
from tests.vision.rendered import PHOTOS, load, pack_of, with_photos
from vision.frame import Image
from vision.reports.rates import Report
from vision.reports.report import report, report_photo

STYLES = ("alpha", "beta")

pytestmark = with_photos


@pytest.fixture(scope="module", params=[STYLES[0], pytest.param(STYLES[1], marks=pytest.mark.long)])
def style_report(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Report:
    """Of one picture of two kinds each; below some of the others are read that were made worse, and `make photos` reads
    all."""
    folder, kinds = tmp_path_factory.mktemp("photos"), ("ring", "hand")
    for labels in [PHOTOS / f"{kind}-{request.param}-01.json" for kind in kinds]:
        for path in (labels, labels.with_suffix(".jpg")):
            (folder / path.name).symlink_to(path)
    return report(folder, lambda style, _: pack_of(style), kinds)


def test_every_piece_of_which_half_shows_is_read_right(style_report: Report) -> None:
    assert style_report.faults() == []
    assert sum(photo.right for photo in style_report.photos) == sum(photo.expected for photo in style_report.photos)


def test_nothing_is_sure_and_wrong_or_hardly_visible(style_report: Report) -> None:
    assert sum(photo.sure_but_wrong for photo in style_report.photos) == 0
    assert sum(photo.sure_but_hardly_visible for photo in style_report.photos) == 0


def test_pieces_lie_where_they_are_read(style_report: Report) -> None:
    matches = [match for photo in style_report.photos for match in photo.matches if match.truth.visible >= 0.5]
    assert max(match.distance_mm for match in matches) < 1.5
    assert max(match.turn_deg for match in matches) < 1.5


@pytest.mark.parametrize("style", STYLES)
def test_sizes_are_measured(style: str) -> None:
    faces = json.loads((PHOTOS / f"faces-{style}.json").read_text())
    sizes = pack_of(style).sizes_mm
    radius = {"alpha": 110.0, "beta": 104.0}[style]
    assert faces
    assert sizes["slice_radius"] == pytest.approx(radius, abs=0.6)
    assert (sizes["special_width"], sizes["special_height"]) == pytest.approx((60.0, 90.0), abs=0.6)


def darkened(image: Image) -> Image:
    return np.asarray(np.clip(image * 0.35 + np.random.default_rng(1).normal(0, 4, image.shape), 0, 255), np.uint8)


def blurred(image: Image) -> Image:
    return np.asarray(cv2.GaussianBlur(image, (0, 0), 1.4), np.uint8)


def squeezed(image: Image) -> Image:
    return np.asarray(cv2.imdecode(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 35])[1], 1), np.uint8)


def tinted(image: Image) -> Image:
    return np.asarray(np.clip(image * np.array([0.6, 0.85, 1.1]), 0, 255), np.uint8)


@pytest.mark.long
@cases(
    ("name", "damage"),
    [
        ("split-alpha-04", darkened),
        ("seats-beta-01", blurred),
        ("split-alpha-04", squeezed),
        ("seats-beta-01", tinted),
    ],
    always=1,
)
def test_bad_pictures_are_read_too(name: str, damage: Any) -> None:
    image, labels = load(name)
    result = report_photo(damage(image), labels, pack_of(labels["style"]), name)
    assert result.right == result.expected
    assert result.sure_but_wrong == 0
