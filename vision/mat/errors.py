"""What vision can fail with."""


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
    """The same corner marker is seen twice: two mats are in the picture."""


class MarkersMisplaced(RegistrationError):
    """The corner markers do not lie as on one flat mat."""


class LensMisfit(MarkersMisplaced):
    """The calibrated lens bends the picture otherwise than this camera does."""
