"""What turns the pages, which are written for GitHub, into a site: called by mkdocs (mkdocs.yml), through `make site`.

- The navigation is docs/index.md: its headings are the sections, the links of its tables the pages. A page NAME.md that
  has a folder NAME/ is followed by the pages of the folder to which it links.
- Pages outside docs/ to which a page links (README, CHANGELOG, ...) become pages of the site, too.
- Headings get the anchors that they have on GitHub, and lists are read as they are there.
- The text of all pages goes into one script, so that the search works from disk.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath
from typing import Any

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"
OUTSIDE = "project"
"""The folder of the site for pages from outside docs/."""
LINK = re.compile(r"(?P<text>!?\[(?:[^][]|\[[^][]*\])*\])\((?P<target>[^()\s#]*)(?P<anchor>#[^()\s]*)?\)")
ROW = re.compile(r"^\|(?P<links>[^|]*)\|", re.MULTILINE)
CODE = re.compile(r"^(?P<fence>```+).*?^(?P=fence) *$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
ITEM = re.compile(r" *(?:[-*]|\d+\.) ")

_words: dict[str, list[list[str]]] = {}
"""Per page of the site: its title, then anchor, heading and text of each part of it."""


def on_config(config: Any) -> Any:
    config.nav = navigation()
    config.mdx_configs.setdefault("toc", {})["slugify"] = github_anchor
    _words.clear()
    return config


def on_files(files: Any, *, config: Any) -> Any:
    from mkdocs.structure.files import File

    for page in outside_pages():
        files.append(File.generated(config, site_path(page), content=(ROOT / page).read_text("utf-8")))
    return files


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Any) -> str:
    return with_github_lists(with_site_links(markdown, project_path(page.file.src_uri)))


def on_page_content(content: str, *, page: Any, config: Any, files: Any) -> str:
    parts = re.split(r'<h[123] id="([^"]*)">(.*?)</h[123]>', content)
    _words[page.url] = [[page.title, "", ""]] + [
        [plain(heading), place, plain(text)] for place, heading, text in zip(*[iter(parts[1:])] * 3, strict=True)
    ]
    # A wide table scrolls by itself, so that the page does not.
    return content.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")


def on_post_build(*, config: Any) -> None:
    script = f"window.karatPages = {json.dumps(_words, ensure_ascii=False)};\n"
    (Path(config.site_dir) / "pages.js").write_text(script, "utf-8")


def plain(text: str) -> str:
    """The words of a piece of HTML, without the links to headings."""
    text = re.sub(r'<a class="headerlink".*?</a>|<[^>]*>', "", text)
    return " ".join(html.unescape(text).split())


def github_anchor(heading: str, separator: str) -> str:
    """The anchor of a heading, as GitHub makes it.

    >>> github_anchor("The judge `llm`: cost, and how", "-")
    'the-judge-llm-cost-and-how'
    """
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", separator)


def navigation() -> list[dict[str, Any]]:
    """The sections and pages of the site, from docs/index.md."""
    sections: list[dict[str, Any]] = [{"Home": "index.md"}]
    for section in (DOCS / "index.md").read_text("utf-8").split("\n## ")[1:]:
        pages: list[dict[str, str] | str] = []
        for link in (link for row in ROW.finditer(section) for link in LINK.finditer(row["links"])):
            page, title = site_path(normpath(f"docs/{link['target']}")), link["text"][1:-1].replace("`", "")
            pages.append({title[0].upper() + title[1:]: page})
            pages += pages_below(page)
        sections.append({section.partition("\n")[0]: pages})
    return sections


def pages_below(page: str) -> list[str]:
    """The pages in the folder of a page's name, in the order in which it links to them."""
    folder = page.removesuffix(".md")
    if not (DOCS / folder).is_dir():
        return []
    links = (link["target"] for link in LINK.finditer((DOCS / page).read_text("utf-8")))
    return list(dict.fromkeys(target for target in links if target.startswith(f"{folder}/")))


def outside_pages() -> list[str]:
    """The Markdown files outside docs/ to which pages of the site link, as paths from the root."""
    todo = [path.relative_to(ROOT).as_posix() for path in sorted(DOCS.rglob("*.md"))]
    known = dict.fromkeys(todo)
    for page in todo:
        for target in targets(page):
            if target.endswith(".md") and target not in known and (ROOT / target).is_file():
                known[target] = None
                todo.append(target)
    return [page for page in known if not page.startswith("docs/")]


def targets(page: str) -> Iterator[str]:
    """The files of the project to which a page links, as paths from the root."""
    for link in LINK.finditer(CODE.sub("", (ROOT / page).read_text("utf-8"))):
        if target := target_of(page, link["target"]):
            yield target


def target_of(page: str, target: str) -> str:
    """The file to which a page links, as a path from the root; "" for the page itself and for addresses of the web."""
    if not target or ":" in target:
        return ""
    return normpath(PurePosixPath(page).parent / target)


def site_path(path: str) -> str:
    """Where a file of the project lies in the site."""
    return path.removeprefix("docs/") if path.startswith("docs/") else f"{OUTSIDE}/{path}"


def project_path(path: str) -> str:
    """The other way round."""
    return path.removeprefix(f"{OUTSIDE}/") if path.startswith(f"{OUTSIDE}/") else f"docs/{path}"


def with_site_links(markdown: str, page: str) -> str:
    """Links between files of the project, as they are in the site; where it has no such page only the words stay."""
    outside = set(outside_pages())
    here = PurePosixPath(site_path(page)).parent.as_posix()
    code = [found.span() for found in CODE.finditer(markdown)]

    def changed(link: re.Match[str]) -> str:
        target = target_of(page, link["target"])
        if not target or any(start < link.end() and link.start() < end for start, end in code if start <= link.start()):
            return link[0]
        if target.startswith("docs/") or target in outside:
            return f"{link['text']}({relpath(site_path(target), here)}{link['anchor'] or ''})"
        return link["text"][1:-1]

    return LINK.sub(changed, markdown)


def with_github_lists(markdown: str) -> str:
    """Lists with an empty line before them and four blanks per level, as the site's Markdown wants them.

    >>> with_github_lists("Two:\\n- one\\n\\n  and more\\n  - below\\n- two")
    'Two:\\n\\n- one\\n\\n    and more\\n    - below\\n- two'
    """
    lines: list[str] = []
    fenced = in_list = False
    for line in markdown.splitlines():
        if line.startswith("```"):
            fenced, in_list = not fenced, False
        elif not fenced and ITEM.match(line):
            if not in_list and lines and lines[-1].strip():
                lines.append("")
            in_list = True
        elif not line.startswith(" ") and lines and not lines[-1].strip():
            in_list = in_list and not line.strip()
        blanks = len(line) - len(line.lstrip(" "))
        lines.append(" " * (blanks // 2 * 4) + line.lstrip(" ") if in_list else line)
    return "\n".join(lines)
