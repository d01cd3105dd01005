"""Messages of commits with the issues that each fixes: every wording that links, and every trap.

Each message is the whole of what is known of its commit. Issues have the numbers 1 to 999,999, so
that nothing is right by chance. ``tests/accuracy_page.py`` counts what the rules make of them.
"""

from dataclasses import dataclass

OWN = "owner/name"


@dataclass(frozen=True)
class Planted:
    """Hold a message, its kind of wording or trap, and the issues that its commit fixes."""

    kind: str
    message: str
    fixed: frozenset[int] = frozenset()


WORDINGS = {
    "url": [
        ("Tidy up\n\nsee https://github.com/owner/NAME/issues/151#issuecomment-34", 151),
        ("Fixes http://www.github.com/Owner/Name/issues/151, in part", 151),
        ("Closes: https://github.com/owner/name/issues/151", 151),
        ("Tidy up\n\n> [!NOTE]\n> See: https://github.com/owner/name/issues/151", 151),
        ("Tidy up\n\nFixes https://redirect.github.com/owner/name/issues/151", 151),
    ],
    "id, after a verb that closes": [
        ("Fixes #151", 151),
        ("Fix #151: crash", 151),
        ("Tidy up\n\nThis resolves issue #151 for good", 151),
        ("Closes: GH-151", 151),
        ("Tidy up\n\nCloses owner/name#151", 151),
        ("Fix the blue text, fixes #333", 333),
        ("Fix #300 in the theme, the border is #000300 now", 300),
        ("Do not crash on empty input, fixes #151", 151),
        ("It doesn't crash any more. Fixes #151", 151),
        ("This not only fixes #151 but is faster", 151),
        ("Bump numpy to 1.20\n\nFixes #151", 151),
        ("Bump version from 1.2 to 1.3\n\n* fixes #151", 151),
        ('Revert "Cache the result" (fixes #151)\n\nIt was never right.', 151),
        ("Revert the cache to fix #151", 151),
        ("Fix #151 in src/loader.py", 151),
        ("Tidy up\n\nFixes:\n- #151", 151),
    ],
    "id, a mere mention": [
        ("Handle scalars (#151)", 151),
        ("[#151] Handle scalars", 151),
        ("#151: make the border blue", 151),
        ("Fix lazy initialization fail on GPU #5682", 5682),
        ("Wrap long lines #151", 151),
        ("#222: make the border blue", 222),
        ("Handle scalars, see #151", 151),
        ("Make the text readable (#333)", 333),
    ],
    "plain_id": [
        ("fix 2333 (#9999999)", 2333),
        ("Fix issue 151: crash", 151),
        ("Bugfix/2956 tpu backend", 2956),
        ("Merge branch 'issue-530'", 530),
    ],
}
"""Messages whose commit fixes the issue, by the approach that must find it."""

TRAPS = {
    "colour": [
        "Use navy #000300 for links",
        "Darken the text from #333 to #222",
        "Set the background to #333",
        "Style links\n\na { color: #333; border-color: #444 }",
        "Change #ccc to #333",
        "Use #112233 and #aabbcc in the theme",
        "Use #444 instead, as the link color is too light",
        "Fill is #12345678 now",
        "Swap grey #1234 and #4321",
    ],
    "stack frame": [
        "Avoid recursion\n\n#105 0x00007ffff7a in visit () at x.c:3",
        "Avoid recursion\n\n#105 0x00007f0012 in visit ()\n#106 0x00007f0034 in visit ()",
        "Avoid recursion\n\n  #12  main () at x.c:3",
        "Avoid recursion\n\n   #105 0x4f5e in visit(Node*) /src/x.cc:3:1",
        "Avoid recursion\n\n#12 pc 0001a2b4 /system/lib/libc.so (abort+63)",
        "Avoid recursion\n\n#12 /srv/app/index.php(151): visit()",
        "Avoid recursion\n\n#12 {main}",
        "Avoid recursion: it ended at #105 0x00007ffff7a",
        "Avoid recursion\n\n#12 <signal handler called>",
    ],
    "denial": [
        "Log more\n\nThis does not fix #151",
        "Log more, doesn't fix #151",
        "Log more. It won't close #151.",
        "Log more\n\nThe crash is not fixed by #151",
        "Log more\n\nThis does not yet completely resolve issue #151 or #152",
        "Log more\n\nThis is a first step and does not\nfix #151",
        "Log more instead of fixing #151",
        "Log more, without fixing https://github.com/owner/name/issues/151",
        "Log more, not a fix for #151",
        "Log more, unrelated to #151",
        "Log more\n\nThis doesn't fix 2333",
    ],
    "another project": [
        "Follow other/repo#151",
        "Follow https://github.com/other/repo/issues/151",
        "Update x\n\n- Fix leak ([#151](https://redirect.github.com/o/x/issues/151))",
        "Update x\n\n- Fix leak ([#151](https://togithub.com/o/x/pull/151))",
        "Work around issue #151 of other-project",
        "Work around #151 in the numpy repository",
        "Work around upstream issue #151",
        "Work around upstream #151",
        "See https://example.org/page#151",
    ],
    "news of another project": [
        "Bump x from 1 to 2\n\nBumps [x](https://github.com/o/x) from 1 to 2.\n- Fix leak (#151)",
        "Bump the ci group\n\nBumps the ci group with 1 update: x.\n\n* Fix leak in #151",
        "Update dependency x to v2\n\nThis PR contains the following updates:\n\n- Fix leak (#151)",
        "chore(deps): update x to v2\n\n### Release Notes\n\n#### v2.0\n\nFixes #151",
        "Upgrade x to 1.2.3\n\n* Fix leak (#151)\n* Fix crash (#152)",
        "Roll third_party/x from 0a1b2c3d to 1b2c3d4e\n\n0a1b2c3d Fix leak (#151)",
    ],
    "counted items": [
        "Tidy up\n\n#1 remove this\n#2 rename that",
        "Tidy up\n\n- #1 remove this",
        "Two changes: #1 remove this, #2 rename that",
    ],
    "another thing with a number": [
        "Follow PEP #8",
        "Follow RFC #1234",
        "Retry Travis build #151",
        "Retry CI jobs #151 and #152",
        "Merge MR #151",
        "Merge pull request #151 from ann/topic",
        "See PR #151, #152 and #153",
        "Explain figure #12",
        "Pin worker #12 to core #13",
        "Use #0151 as the key",
        "Unescape &#39; and &#151;",
        "Port to C#151",
        "Keep the anchor ##151",
    ],
    "code and quotes": [
        "Tidy up\n\n    fixes #151",
        "Tidy up\n\n```\nfixes #151\n```",
        "Tidy up `#151`",
        "Tidy up\n\n> fixes #151",
    ],
    "what a revert takes back": [
        'Revert "Fix #151: crash"',
        'Revert "Fix #151: crash" (#9999999)\n\nReverts owner/name#9999999',
        'Revert "Revert "Fix #151: crash""',
        'Reapply "Fix #151: crash"',
        "Revert fix for #151",
        "Revert #151",
        "This reverts #151, #152 and #153",
        'Back out "Fix #151"\n\nOriginal commit changeset: 0a1b2c3d4e5f',
        "Automated rollback of commit 0a1b2c3d4e5f\n\nOriginal change's description:\n\nFixes #151",
    ],
    "a number of something else": [
        "fix 200 typos",
        "fix 404",
        "numpy issue 12061",
        "fix 3.5.1",
        "Add tests for issue 1425",
        "Merge branch 'main' into fix-2276",
    ],
}
"""Messages whose commit fixes no issue, by what makes them look as if it did."""

DOUBTED = [
    "Handle scalars, related to #151",
    "Handle scalars, see #151 for context",
    "Undo what #151 introduced",
    "The crash was caused by #151",
    "Similar to #151, but for views",
    "Update the vendored x\n\n- Leak (#151)",
    "Fixes numpy issue #151",
]
"""Messages whose commit fixes no issue, which are linked with the doubt only_mentioned."""

WRONG = [
    "Explain how a message like fixes #151 is read",
]
"""Messages whose commit fixes no issue, which are linked without a doubt."""

UNREAD = [
    ("Bug 151: crash", "id", 151),
    ("Closes 12", "plain_id", 12),
    ("Fix issue no. 151", "plain_id", 151),
    ("Fix the crash of the first report of this week", "id", 151),
]
"""Messages whose commit fixes the issue, which are not linked to it."""


def planted() -> list[Planted]:
    """Return all: first the wordings, then the traps, then those that the rules do not see."""
    found = [
        Planted(kind, message, frozenset({number}))
        for kind, messages in WORDINGS.items()
        for message, number in messages
    ]
    found += [Planted(kind, message) for kind, messages in TRAPS.items() for message in messages]
    found += [Planted("a mention that is not a fix", message) for message in DOUBTED]
    found += [Planted("words that only look like a fix", message) for message in WRONG]
    return found + [Planted(kind, text, frozenset({number})) for text, kind, number in UNREAD]


LINE = (
    ("root", "", "Start"),
    ("fix", "root", "Fix the crash (#210)\n\nFixes #110"),
    ("more", "fix", "Handle views"),
    ("last", "more", "Handle the rest (#212)"),
)
"""Name, parent and message of the commits that the reverts below take back."""

REVERTS = [
    ('Revert "Fix the crash (#210)" (#213)\n\nReverts owner/name#210', "fix"),
    ('Revert "Fix the crash (#210)"', "fix"),
    ('Revert "Fix the crash" (#213)', "fix"),
    ("Revert Fix the crash (#210)", "fix"),
    ("revert: Fix the crash (#210)", "fix"),
    ('[core] Revert "Handle views"', "more"),
    ("Undo\n\nThis reverts commit {fix}.", "fix"),
    ("Undo\n\nThis reverts commit {fix_7}.", "fix"),
    ("Undo\n\nThis reverts commit\n{fix}.", "fix"),
    ("Undo\n\nThis reverts commits {fix}, {more} and {last}.", "fix more last"),
    ("Undo\n\nThis reverts commits:\n- {fix}\n- {more}", "fix more"),
    ('Undo\n\nThis reverts commits:\n\n* {fix_7} ("Fix")\n* {more_7}', "fix more"),
    ("Undo\n\nThis reverts commits {root}..{more}.", "fix more"),
    ("Undo\n\nThis reverts commit {fix},\nreversing changes made to {root}.", "fix"),
    ("Automated rollback of commit {fix}", "fix"),
    ("Automated rollback of commit {fix}. Revert #212.", "fix last"),
    ("Back out changeset {fix}", "fix"),
    ("Backed out changeset {fix_7} (bug 12) for crashes", "fix"),
    (
        "Backed out 2 changesets (bug 12)\n\nBacked out changeset {fix}\n"
        "Backed out changeset {more}",
        "fix more",
    ),
    ('Back out "Fix the crash"\n\nOriginal commit changeset: {fix_7}', "fix"),
    ('Back out "Handle views"', "more"),
    ("Undo\n\nThis reverts pull request #210.", "fix"),
    ("Undo\n\nThis reverts #210", "fix"),
    ("Undo\n\nReverts #210 and #212", "fix last"),
    ("revert PR #210", "fix"),
    ("Revert PR 210", "fix"),
    ("Reverts https://github.com/owner/name/pull/210", "fix"),
    ("Reverts https://github.com/owner/name/commit/{fix}", "fix"),
    ("Revert {fix_7}", "fix"),
    # The hash was another one before a rebase.
    ('Revert "Handle views"\n\nThis reverts commit 9f9f9f9f9f9f9f9f9f9f.', "more"),
]
"""Messages that take commits of LINE back, and which; {fix} is a hash, {fix_7} its beginning."""

NO_REVERTS = [
    "Partially revert {fix}",
    "Revert a part of the change in {fix}",
    "Undo\n\nThis partially reverts commit {fix}.",
    "Undo\n\nThis does not revert commit {fix}.",
    "Undo\n\n> This reverts commit {fix}.",
    "Revert unneeded changes",
    "Revert to the old default, see #210",
    "Reverts other/repo#210",
    "Reverts https://github.com/other/repo/pull/210",
    'Revert "Something of another history"',
    "Revert facade",
    "Revert 1a",
    "Say when to revert\n\nWhoever wants to can revert commit {fix}.",
]
"""Messages that take no whole commit of LINE back."""
