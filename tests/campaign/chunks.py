"""Do work in numbered chunks, each in a forked process, and add up what they found."""

import itertools
import multiprocessing
from collections import Counter

from tests.fuzz.odd import Odd


def pool(processes):
    """Return a pool of processes that have everything this one has loaded and recorded."""
    return multiprocessing.get_context("fork").Pool(processes)


def sum_of_chunks(workers, chunk, work):
    """Call *chunk* with each of these arguments; return the sum of the Counters."""
    return sum(workers.starmap(chunk, work, chunksize=1), Counter())


def sum_until(enough, processes, chunk, work_of, tell):
    """Run numbered chunks until *enough* accepts the sum of their Counters, and return that sum."""
    met, numbers = Counter(), itertools.count()
    with pool(processes) as workers:
        while not enough(met):
            work = [work_of(number) for number in itertools.islice(numbers, 4 * processes)]
            met += sum_of_chunks(workers, chunk, work)
            tell(met)
    return met


def numbered_sizes(total, size):
    """Return (number, count) of the chunks that make up the total. All have this size except the
    last."""
    return [(at // size, min(size, total - at)) for at in range(0, total, size)]


def exit_status_of(main):
    """Return the exit status of *main*, or print a sentence and return 1 if something odd was
    found."""
    try:
        return main()
    except Odd as odd:
        print(f"failed: {odd}")
        return 1
