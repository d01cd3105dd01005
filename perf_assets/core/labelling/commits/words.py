"""The words by which messages of commits say that they change speed or memory.

A word with ``alone`` says so by itself in a title; the others are signs for the classifier, as
they are said of much else. Those of reports (:mod:`perf_assets.core.labelling.vocabulary`) say what
hurts, these say what was done about it.
"""

from collections.abc import Mapping

from perf_assets.core.labelling.vocabulary import HANG, MEMORY, SPEED, WORDS, Word

ELSEWHERE = "elsewhere"
"""The kind of words that say what is not the product."""

_THING = (
    r"(?:cop(?:y|ies|ying)|allocations?|allocating|reallocations?|clon(?:e|es|ing)|conversions?"
    r"|comput\w+|recomput\w+|re-?evaluat\w+|calls?|lookups?|look-ups?|checks?|loops?|iterations?"
    r"|iterating|passes|pass|syncs?|synchroni[sz]ations?|transfers?|round[ -]?trips?|sorts?|sorting"
    r"|scans?|queries|requests?|reads?|writes?|casts?|casting|boxing|hashing|hash(?:es)?|pars\w+"
    r"|re-?renders?|broadcasts?|deep ?cop\w+|temporar\w+|locks?|locking|contention|barriers?"
    r"|launch(?:es)?|kernels?|work|traversals?|validation|serialization|instantiations?|imports?)"
)
_NEEDLESS = r"(?:unnecessary|unneeded|needless|redundant|extra|repeated|duplicate|expensive|costly)"

COMMIT_WORDS: Mapping[str, Word] = {
    "speed up": Word(
        SPEED,
        (
            r"speed(?:s|ed|ing)?[ -]?ups?",
            r"speed(?:s|ing)? \w+ up",
            "sped up",
            "expedit(?:e|es|ed)",
            r"(?:improv\w+|increas\w+|boost\w*|enhanc\w+|better|for) (?:\w+ ){0,4}speed",
            r"speed (?:improv\w+|boosts?|gains?|optimi[sz]\w+|increases?)",
        ),
        "the plainest claim",
    ),
    "faster": Word(
        SPEED,
        ("fast(?:er|est)", r"fast[ -]?paths?", r"quick(?:er|est)"),
        "a comparison of speed, or a way beside the slow one",
    ),
    "accelerate": Word(
        SPEED,
        ("fast", "quickly", r"accelerat(?:e|es|ed|ing|ion)"),
        "also the name of libraries",
        alone=False,
    ),
    "perf": Word(SPEED, ("perf", "perfs"), "short for performance, as a tag or word"),
    "performance": Word(
        SPEED,
        (
            r"(?:improv\w+|increas\w+|better|boost\w*|enhanc\w+|fix\w*|bad|poor|low|high(?:er)?|big"
            r"|for|huge|small|minor|more|some|massive|serious|significant|slight|regain|restore)"
            r" (?:\w+ ){0,4}per(?:formance|fomance|formace)",
            r"per(?:formance|fomance|formace)(?: \w+)? (?:improv\w+|optimi[sz]\w+|gains?|boosts?"
            r"|regress\w+|issues?|problems?|bugs?|fix\w*|tweaks?|tuning|enhanc\w+|degrad\w+|hits?"
            r"|penalt\w+|drops?|bottlenecks?|loss|work|of|for|in|on|when|with|reasons?|increase)",
            r"performan(?:t|tly)",
        ),
        "performance, as what is changed",
    ),
    "said performance": Word(
        SPEED,
        ("performance",),
        "also of tests, documents and reviews of performance",
        alone=False,
    ),
    "first optimize": Word(
        SPEED,
        (r"(?:^|[,;:-] )(?:micro-?)?optimi[sz](?:e|es|ed|ing|ations? of)",),
        "what is done, as the first word",
    ),
    "more optimized": Word(
        SPEED,
        (
            r"(?:some|more|small|minor|slight(?:ly)?|further|few|several|various|and)"
            r" (?:\w+ ){0,2}optimi[sz](?:e|es|ed|ing|ations?)",
        ),
        "what is done, said with how much",
    ),
    "optimize": Word(
        SPEED,
        (r"(?:micro-?)?optimi[sz](?:e|es|ed|ing|ations?)",),
        "what is done, and the name of modules and passes, which the classifier tells apart",
        alone=False,
    ),
    "more efficient": Word(
        SPEED,
        (
            r"(?:more|better|slightly|much|improv\w+|increas\w+|for|make|made|minor|memory)"
            r" (?:\w+ ){0,3}efficien(?:t|tly|cy)",
        ),
        "less is used for the same, as what is changed",
    ),
    "efficient": Word(
        SPEED, (r"(?:in)?efficien(?:t|tly|cy|cies)",), "less is used for the same", alone=False
    ),
    "too slow": Word(
        SPEED,
        (
            r"(?:was|is|are|were|being|too|very|extremely|so|really|quite|horribly) slow(?:er|ly)?",
            r"(?:fix\w*|resolv\w*|address\w*|avoid\w*|reduc\w*) (?:\w+ ){0,3}slow\w*",
            r"slow[ -]?downs?",
            "slowness",
            r"(?:fix\w*|resolv\w*) (?:\w+ ){0,2}(?:expensive|exponential|quadratic)",
        ),
        "what is mended",
    ),
    "slow": Word(SPEED, WORDS["slow"].forms, "slow tests, slow clients", alone=False),
    "latency": Word(
        SPEED,
        (r"(?:reduc\w+|lower\w*|improv\w+|cut\w*|decreas\w+) (?:\w+ ){0,3}(?:latency|latencies)",),
        "a cost that is reduced",
    ),
    "throughput": Word(
        SPEED,
        (r"(?:increas\w+|improv\w+|rais\w+|higher|better|boost\w*) (?:\w+ ){0,3}through-?put",),
        "a rate that is raised",
    ),
    "overhead": Word(
        SPEED,
        (
            r"(?:reduc\w+|lower\w*|avoid\w*|remov\w+|less|cut\w*|minimi[sz]\w+|decreas\w+|no"
            r"|eliminat\w+) (?:\w+ ){0,3}(?:overheads?|bottlenecks?)",
        ),
        "a cost that is reduced",
    ),
    "time": Word(
        SPEED,
        (
            r"(?:reduc\w+|lower\w*|improv\w+|cut\w*|decreas\w+|shorten\w*|sav(?:e|es|ed|ing))"
            r" (?:\w+ ){0,3}(?:time|runtime|cpu|cycles)",
        ),
        "a time that is reduced; of tests as well",
        alone=False,
    ),
    "start time": Word(
        SPEED,
        (
            r"(?:reduc|improv|speed|cut|lower|decreas|optimi[sz]|short)\w* (?:\w+ ){0,3}(?:import"
            r"|start-?up|load(?:ing)?|launch|boot|init(?:iali[sz]ation)?|compil\w+) times?",
        ),
        "the time until work begins",
    ),
    "ratio": Word(
        SPEED,
        (r"\d+(?:[.,]\d+)?\s*(?:x|times|%|percent) (?:faster|quicker|speed\w*|less time)",),
        "a measured gain",
    ),
    "measured": Word(
        SPEED,
        (
            r"\d+(?:[.,]\d+)?\s?(?:ms|µs|us|ns|s|sec|seconds|minutes?)\b.{0,40}?(?:->|=>|to|vs\.?)"
            r"\s*\d+(?:[.,]\d+)?\s?(?:ms|µs|us|ns|s|sec|seconds|minutes?)",
            "per loop",
            r"ns/op",
            r"b/op",
            r"allocs/op",
        ),
        "times before and after",
        alone=False,
    ),
    "complexity": Word(
        SPEED,
        (
            r"quadratic",
            r"o\([a-z0-9^*+ ]{1,12}\)",
            r"(?:linear|logarithmic|constant|exponential|time) (?:time|complexity|runtime|search)",
        ),
        "how time grows",
        alone=False,
    ),
    "first vectorize": Word(
        SPEED,
        (r"^(?:vectori[sz]|pythrani[sz]|cythoni[sz])(?:e|es|ed|ing|ation of)",),
        "loops that become one call, as the first word",
    ),
    "vectorize": Word(
        SPEED, (r"vectori[sz](?:e|es|ed|ing|ation)",), "loops that become one call", alone=False
    ),
    "parallelize": Word(
        SPEED,
        (
            r"paralleli[sz](?:e|es|ed|ing|ation)",
            r"multi-?thread(?:ed|ing)?",
            "concurrently",
            "in parallel",
        ),
        "work that is done at once; features as well",
        alone=False,
    ),
    "cache": Word(
        SPEED,
        (
            r"(?:re-?)?cach(?:e|es|ed|ing)",
            r"memoi[sz](?:e|es|ed|ing|ation)",
            "lru",
            "precomput\\w+",
        ),
        "work that is kept; caches have bugs of their own",
        alone=False,
    ),
    "caching decorator": Word(
        SPEED,
        (r"(?:use|us\w+|add\w*|with|by|to|switch\w*) (?:\w+ ){0,3}(?:cached_property|lru_cache)",),
        "a result that is kept from now on",
    ),
    "lazy": Word(
        SPEED,
        (r"laz(?:y|ily)", r"defer(?:s|red|ring)?", "on demand", "short[ -]?circuit\\w*", "early"),
        "work that is put off",
        alone=False,
    ),
    "avoid": Word(
        SPEED,
        (
            rf"(?:avoid|skip|remov|reduc|eliminat|prevent|drop|elid|fewer|less|don'?t|no)\w*"
            rf" (?:\w+ ){{0,4}}?(?:{_NEEDLESS} )?(?:\w+ ){{0,2}}?{_THING}",
            rf"{_NEEDLESS} (?:\w+ ){{0,2}}?{_THING}",
        ),
        "work that is left out; wrong behaviour as well",
        alone=False,
    ),
    "needless work": Word(
        SPEED,
        (
            r"(?:avoid|skip|prevent|eliminat|reduc|remov|elid|fewer|less|without|drop|no)\w*"
            r" (?:\w+ ){0,2}?(?:unnecessary|unneeded|needless|redundant|repeated|deep|expensive"
            r"|costly|intermediate|temporary|quadratic|heap|extra)[ -](?:\w+[ -])?(?:cop(?:y|ies)"
            r"|copying|allocat\w+|re-?allocat\w+|clon(?:e|es|ing)|conversions?|re-?comput\w+"
            r"|comput\w+|evaluat\w+|look-?ups?|arrays?|buffers?|iterations?|sync\w*|transfers?"
            r"|calculat\w+|work|re-?renders?|re-?pars\w+|hashing|sorts?|sorting|scans?|overhead)",
        ),
        "work that nobody needs is left out",
    ),
    "fewer copies": Word(
        SPEED,
        (
            r"(?:avoid|reduc|fewer|less|eliminat|elid)\w* (?:\w+ ){0,2}?(?:cop(?:y|ies|ying)"
            r"|allocations?|temporar(?:y|ies)|recomput\w+|transfers?|sync\w*|round[ -]?trips?)",
        ),
        "work that is left out, of a kind that only costs",
    ),
    "needless": Word(SPEED, (_NEEDLESS,), "work that nobody needs, or code", alone=False),
    "instructions": Word(
        SPEED,
        (
            r"simd",
            r"avx\w*",
            "sse\\d?",
            "neon",
            "sve",
            "intrinsics?",
            "inlin(?:e|es|ed|ing)",
            "unroll\\w*",
            "prefetch\\w*",
            "branchless",
            "hot (?:path|loop|function|code)s?",
            "tail call",
            "fus(?:e|ed|ing|ion)",
            "specialized?",
            "cython\\w*",
            "pythrani[sz]e",
            "jit",
            "zero-?copy",
            "in-?place",
            "batch(?:ed|ing)?",
            "buffer(?:ed|ing)?",
            "overlap\\w*|pipelin\\w+|async\\w*",
            r"(?:auto-?)?tun(?:e|ed|ing)",
            "scalab\\w+",
        ),
        "how code is made fast; features as well",
        alone=False,
    ),
    "expensive": Word(
        SPEED, ("expensive", "costly", "cheap(?:er|ly)?", "heavy"), "a cost is named", alone=False
    ),
    "benchmark": Word(
        SPEED,
        (r"benchmark\w*", "bench", "asv", "profil(?:e|ed|er|ing)"),
        "measuring, not changing",
        alone=False,
    ),
    "memory": Word(
        MEMORY,
        (
            r"(?:reduc\w+|lower\w*|less|sav(?:e|es|ed|ing)|decreas\w+|improv\w+|optimi[sz]\w+"
            r"|limit\w*|minimi[sz]\w+|smaller|shrink\w*)"
            r" (?:\w+ ){0,4}(?:memory|v?ram|allocations?|mem|footprint|allocs)",
            r"memory[ -](?:\w+ )?(?:efficien\w+|optimi[sz]\w+|improv\w+|sav\w+|reduc\w+)",
            r"(?:fix|avoid|prevent|resolve|handle)\w* (?:\w+ ){0,3}(?:oom|out[ -]of[ -]memory)",
        ),
        "memory that is saved",
    ),
    "leak": Word(
        MEMORY,
        (
            r"(?:memory|mem|ref(?:erence)?|resource|handle|object|gpu|cuda|buffer|fd)"
            r"[ -]?(?:count )?leak\w*",
        ),
        "memory that is not given back",
    ),
    "said leak": Word(MEMORY, (r"leak\w*",), "of anything", alone=False),
    "said memory": Word(MEMORY, ("memory", "allocat\\w+", "malloc"), "of errors too", alone=False),
    "out of memory": Word(
        MEMORY, WORDS["out of memory"].forms, "also how it is reported", alone=False
    ),
    "memory use": Word(MEMORY, WORDS["memory use"].forms, "also how it is measured", alone=False),
    "hang": Word(HANG, (*WORDS["hang"].forms, *WORDS["deadlock"].forms), "no progress"),
    "elsewhere": Word(
        ELSEWHERE,
        (
            r"(?:unit|doc|slow|regression)?[ -]?tests?",
            r"test\w*(?: suite)?|suites?",
            "ci",
            "travis|jenkins|appveyor|azure|circleci|github|workflows?|docker\\w*|runners?",
            r"(?:ci|docker|cmake|bazel|wheel|docs?|release) builds?",
            r"build (?:times?|systems?|scripts?|agents?)",
            r"wheels?|packaging|install\w*",
            "docs?|docstrings?|documentation|readme|changelog|faq|guides?|notes|tutorials?|comments?",
            r"benchmark\w*|bench|asv",
            "examples?|logs?|logging|reports?|reporting|message|warnings?|lint\\w*",
        ),
        "work on tests, tools and texts, not on the product",
        alone=False,
    ),
}
"""By name."""
