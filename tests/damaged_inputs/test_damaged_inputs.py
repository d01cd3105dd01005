"""Whatever is handed in, damaged by chance: it is read, or refused in one sentence.

Many more are tried by ``python -m tests.soak``.
"""

from pathlib import Path

import pytest

from tests.damaged_inputs.cases import KINDS, share_of, tried
from tests.damaged_inputs.kinds import READ, REFUSED, Kind, Surroundings
from tests.effort import IS_THOROUGH
from tests.support import Prepared

CASES = 20_000 if IS_THOROUGH else 1000
ENOUGH = 30  # cases of which both ends must be among them
NEVER_REFUSED = {"verdicts", "code_owners"}  # a damaged line is set aside, the others are kept


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))
def test_a_damaged_input_is_read_or_refused_in_one_sentence(
    kind: Kind, small: Prepared, tmp_path: Path
) -> None:
    cases = share_of(kind, CASES)
    *_, result = tried(kind, Surroundings(tmp_path, small), range(cases))
    assert not result.findings, "\n".join(map(str, result.findings[:10]))
    ends = {READ} if kind.name in NEVER_REFUSED else {READ, REFUSED}
    assert cases < ENOUGH or ends <= set(result.ends)
