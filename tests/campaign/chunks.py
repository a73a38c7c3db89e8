"""Work in numbered chunks, each done by a forked process, and what all of them have met."""

import itertools
import multiprocessing
from collections import Counter

from tests.fuzz.odd import Odd


def pool(processes):
    """Processes that have what this one has loaded and recorded."""
    return multiprocessing.get_context("fork").Pool(processes)


def met_by(workers, chunk, work):
    """What *chunk* gives, a Counter for each of these arguments, added up."""
    return sum(workers.starmap(chunk, work, chunksize=1), Counter())


def met_until(enough, processes, chunk, work_of, tell):
    """Chunks with the work of one number after the other until there is *enough*."""
    met, numbers = Counter(), itertools.count()
    with pool(processes) as workers:
        while not enough(met):
            work = [work_of(number) for number in itertools.islice(numbers, 4 * processes)]
            met += met_by(workers, chunk, work)
            tell(met)
    return met


def numbered(total, size):
    """(number, how many) of chunks of this size, the last smaller, that make up the total."""
    return [(at // size, min(size, total - at)) for at in range(0, total, size)]


def unless_odd(main):
    """The exit status that *main* comes to; 1, with a sentence, where something odd was met."""
    try:
        return main()
    except Odd as odd:
        print(f"failed: {odd}")
        return 1
