from collections.abc import Iterator

import pytest
import replay


@pytest.fixture
def server() -> Iterator[replay.Server]:
    with replay.serve() as running:
        yield running
