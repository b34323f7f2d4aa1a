"""What vision can fail with."""

MIRRORED = "the picture is mirrored: expected one as the eye sees the table"


class VisionError(Exception):
    """Root of everything vision can fail with."""


class RegistrationError(VisionError, ValueError):
    """The picture could not be laid over the table."""


class PictureTooDark(RegistrationError):
    """The picture is black: the lens is covered or there is no light."""


class PictureTooBright(RegistrationError):
    """The picture is white."""


class MarkersMissing(RegistrationError):
    """Fewer of the mat's corner markers are seen than are needed."""


class MarkersRepeated(RegistrationError):
    """The same corner marker is seen twice, and it cannot be told which lies on the one mat: two are in the picture."""


class MarkersMisplaced(RegistrationError):
    """The corner markers do not lie as on one flat mat."""


class LensMisfit(MarkersMisplaced):
    """The calibrated lens bends the picture otherwise than this camera does."""


class CalibrationError(VisionError, ValueError):
    """The lens cannot be had from these photos, or a photo does not serve."""


class SheetNotSeen(CalibrationError):
    """The photo shows too little of the sheet."""


class WrongSheet(CalibrationError):
    """The photo shows another sheet, or one whose squares are not square."""


class Blurred(CalibrationError):
    """The photo, or every one of them, is blurred."""


class TooFewViews(CalibrationError):
    """Too few photos serve."""


class AllFromOneAngle(CalibrationError):
    """The sheet leans the same way in all photos."""


class SizesDiffer(CalibrationError):
    """The photos are not all of one size."""


class NoCommonLens(CalibrationError):
    """No one lens explains the photos."""


class LensFileError(CalibrationError):
    """A file holds no lens, or one for pictures of another shape."""
