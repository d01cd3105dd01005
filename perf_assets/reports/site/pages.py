"""The pages of the site, by the templates of all reports, and the policies that they carry.

A policy is what a browser holds a page to: none of the site fetches anything from another host.
"""

from perf_assets.reports.rendering import TEMPLATES, render

PAGES = {
    "index.html": "Overview",
    "report.html": "Report",
    "tables.html": "Tables",
    "dictionary.html": "Dictionary",
    "console.html": "Console",
}
CONSOLE = "console.html"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'"
)
# Its worker and its engine are unpacked in the page, so their addresses are blob:.
CONSOLE_POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src blob:; "
    "connect-src 'self' blob:; style-src 'self'; base-uri 'none'; form-action 'none'"
)
# Of a page that has everything in it; what draws its charts compiles expressions.
EMBEDDED_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; "
    "img-src data:; base-uri 'none'; form-action 'none'"
)
CHARSET, HEADER = '<meta charset="utf-8">', "<header>"


def page(template: str, path: str, *, has_console: bool, **values: object) -> str:
    """Return the page at ``path`` of the site, made of ``values``."""
    return render(
        f"site/{template}",
        policy=CONSOLE_POLICY if path == CONSOLE else POLICY,
        **_place(path, has_console=has_console),
        **values,
    )


def framed(content: str, path: str, *, has_console: bool) -> str:
    """Return the self-contained page of another report, with the site's links and a policy."""
    policy = f'<meta http-equiv="Content-Security-Policy" content="{EMBEDDED_POLICY}">'
    links = render("site/links.html", **_place(path, has_console=has_console))
    style = f"<style>{text_of('links.css')}</style>"
    head = content.replace(CHARSET, f"{CHARSET}\n{policy}\n{style}", 1)
    return head.replace(HEADER, f"{links}{HEADER}", 1)


def text_of(name: str) -> str:
    """Return a style sheet or script of the site, as it is written."""
    return (TEMPLATES / "site" / name).read_text(encoding="utf-8")


def style_sheet() -> str:
    """Return the style sheet of the site: that of all reports, and what only the site has."""
    common = (TEMPLATES / "style.css").read_text(encoding="utf-8")
    return "\n".join([common, text_of("links.css"), text_of("site.css")])


def page_script() -> str:
    """Return the script of all reports."""
    return (TEMPLATES / "page.js").read_text(encoding="utf-8")


def _place(path: str, *, has_console: bool) -> dict[str, object]:
    links = [(name, text) for name, text in PAGES.items() if has_console or name != CONSOLE]
    current = "tables.html" if path.startswith("tables/") else path
    root = "../" * path.count("/")
    return {"root": root, "links": links, "current": current, "has_console": has_console}
