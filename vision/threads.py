"""How many cores reading takes."""

import cv2
from threadpoolctl import threadpool_limits


def use_one_core() -> None:
    """Let OpenCV and NumPy's BLAS work in this thread alone, from now on, in all of this process.

    Matrices of reading are so small that threads of a BLAS cost more in waiting for each other than they save, and the
    other cores are for the camera, the rules and the displays.
    """
    cv2.setNumThreads(1)
    threadpool_limits(1, "blas")
