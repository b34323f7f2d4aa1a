"""What people are told when the mat, or the camera above it, was moved."""

MAT_MOVED_MM = 2.0
"""A mat that lies so far from where it lay was moved, and everybody is told."""


def where_mat_lies(shift_mm: float) -> str:
    """What is said once the mat, or the camera above it, was moved: every picture is laid over the table anew."""
    return (
        f"the mat lies {shift_mm:.0f} mm from where it lay when the camera started; that is followed; put back what "
        "lies beside it to where it lay"
    )
