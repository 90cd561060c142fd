"""How far work has come, in one line."""


def progress_line(done: int, total: int, seconds: float) -> str:
    """Parts done, the rate and the time left; the rate is left out until there is one."""
    share = f"{done} of {total} ({100 * done // max(total, 1)} %)"
    if done == 0 or seconds <= 0:
        return share
    rate = done / seconds
    left = "" if done >= total else f", {duration((total - done) / rate)} left"
    return f"{share}, {_rate(rate)}{left}"


def bar(done: int, total: int, width: int = 24) -> str:
    """A bar of `width` characters."""
    filled = width * done // max(total, 1)
    return "█" * filled + "░" * (width - filled)


def duration(seconds: float) -> str:
    """Rounded to what a reader who waits wants to know: 8 s, 3 min, 2 h 05 min."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02} min"


def _rate(rate: float) -> str:
    if rate >= 10:
        return f"{rate:.0f} a second"
    return f"{rate:.1f} a second" if rate >= 1 else f"{rate * 60:.1f} a minute"
