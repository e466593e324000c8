"""One pass of Vowpal Wabbit over a file, in a process of its own: prints the seconds it took.

The wheel has no `vw` program, and its parser takes no --onethread; one core is what the process is
held to instead. Start-up and import are left out of the seconds, to VW's advantage.
"""

import contextlib
import os
import sys
import time

from vowpalwabbit import Workspace

with contextlib.suppress(AttributeError, OSError):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
wall, processor = time.perf_counter(), time.process_time()
# In pieces of one argument each: a path may have blanks.
Workspace(arg_list=["-d", sys.argv[1], "--loss_function", "hinge", "--sgd", "--quiet"]).finish()
print(time.perf_counter() - wall, time.process_time() - processor)
