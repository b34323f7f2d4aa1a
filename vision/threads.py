"""How many cores reading takes, and what it does with memory that it has freed."""

import ctypes

import cv2
from threadpoolctl import threadpool_limits

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
"""As `mallopt` of the GNU C library numbers them (malloc.h)."""
KEPT_BYTES, LARGEST_BYTES = 64 << 20, 32 << 20


def use_one_core() -> None:
    """Let OpenCV and NumPy's BLAS work in this thread alone, from now on, in all of this process.

    Matrices of reading are so small that threads of a BLAS cost more in waiting for each other than they save, and the
    other cores are for the camera, the rules and the displays.
    """
    cv2.setNumThreads(1)
    threadpool_limits(1, "blas")
    _keep_freed_memory()


def _keep_freed_memory() -> None:
    """Keep what was freed for the next picture. Planes of a megabyte or more are else taken from the system anew each
    time, page by page: that was a sixth of the time that reading a sheet takes. Other C libraries are left alone."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return
    mallopt(M_MMAP_THRESHOLD, LARGEST_BYTES)
    mallopt(M_TRIM_THRESHOLD, KEPT_BYTES)
